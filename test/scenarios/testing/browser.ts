import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';

const IMAGES = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
/** UPDATE_IMAGES=1 keeps what the page looks like in docs/images. */
export const UPDATES_IMAGES = process.env.UPDATE_IMAGES === '1';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Chromium of this machine, or null; says so once. */
export function findChromium(): string | null {
  const found = [process.env.CHROMIUM ?? '', ...PROGRAMS].find((path) => path && existsSync(path));
  if (found === undefined) {
    console.log('skipped: no Chromium on this machine (Debian: apt-get install chromium)');
  }
  return found ?? null;
}

export const launch = (executablePath: string): Promise<Browser> =>
  // Root has no sandbox in containers; the pages are our own.
  chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });

export interface WatchedPage {
  readonly page: Page;
  /** Errors, violations of the content security policy among them, and requests to other places. */
  readonly complaints: string[];
}

export interface View {
  readonly width: number;
  readonly height: number;
  readonly scheme?: 'light' | 'dark';
}

/** A page that loads nothing from anywhere but `origin`; other requests fail and are kept as complaints. */
export async function openPage(browser: Browser, origin: string, view: View): Promise<WatchedPage> {
  const { width, height, scheme = 'light' } = view;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  await page.route('**/*', (route) => {
    const { origin: asked } = new URL(route.request().url());
    if (asked === origin) return route.continue();
    complaints.push(`request to ${asked}`);
    return route.abort();
  });
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${origin}/`);
  return { page, complaints };
}

/** With UPDATE_IMAGES=1 keeps the view, the whole page, or one part of it. */
export async function keepImage(
  page: Page,
  name: string,
  { fullPage = false, part }: { readonly fullPage?: boolean; readonly part?: string } = {},
): Promise<void> {
  if (!UPDATES_IMAGES) return;
  for (const notice of await page.locator('.notice button').all()) await notice.click();
  await page.evaluate(() => scrollTo(0, 0));
  const path = join(IMAGES, `${name}.png`);
  if (part === undefined) await page.screenshot({ path, fullPage });
  else await page.locator(part).screenshot({ path });
}

/** Stages that the only cell of a proof has gone through, from when this is called. */
export async function watchStages(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(globalThis, { seenStages: seen });
    const look = () => {
      const stage = document.querySelector<HTMLElement>('.detail .cell')?.dataset.stage;
      if (stage !== undefined && seen.at(-1) !== stage) seen.push(stage);
    };
    new MutationObserver(look).observe(document.body, {
      subtree: true,
      childList: true,
      attributes: true,
    });
    look();
  });
  return () => page.evaluate(() => (globalThis as unknown as { seenStages: string[] }).seenStages);
}

/** Visible texts whose colour is too near to their background (WCAG AA: 4.5 to 1), as `text: ratio`. */
export const poorContrasts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    const rgba = (colour: string): number[] => {
      if (canvas === null) return [0, 0, 0, 0];
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const luminance = (colour: number[]): number => {
      const [r = 0, g = 0, b = 0] = colour.map((value) => {
        const share = value / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const background = (start: Element): number[] => {
      for (let at: Element | null = start; at !== null; at = at.parentElement) {
        const colour = rgba(getComputedStyle(at).backgroundColor);
        if (colour[3] === 255) return colour;
      }
      return [255, 255, 255, 255];
    };
    const poor: string[] = [];
    for (const element of document.querySelectorAll('body *')) {
      const texts = [...element.childNodes].filter(
        (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim(),
      );
      const visible = element.checkVisibility() && element.getBoundingClientRect().width > 2;
      if (texts.length === 0 || !visible || element.matches(':disabled')) continue;
      const [a, b] = [rgba(getComputedStyle(element).color), background(element)].map(luminance);
      const ratio = (Math.max(a ?? 0, b ?? 0) + 0.05) / (Math.min(a ?? 0, b ?? 0) + 0.05);
      if (ratio < 4.5) poor.push(`${texts[0]?.textContent?.trim()}: ${ratio.toFixed(2)}`);
    }
    return poor;
  });
