import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from './testing/browser.ts';
import { type ScratchProject, unpackOwnCircuit } from './testing/packed-library.ts';

/** Headless Chromium on a machine without a GPU offers WebGPU through SwiftShader only. */
const WEBGPU = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];
const program = findChromium();

describe('examples/own-circuit from the packed packages', () => {
  let project: ScratchProject;
  beforeAll(() => {
    project = unpackOwnCircuit();
  });
  afterAll(() => project.remove());

  it('is 30 lines or less', () => {
    const lines = readFileSync(join(project.folder, 'cubic.ts'), 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(30);
  });

  it('type-checks with every declaration file, its own and those of its dependencies', () => {
    expect(project.run('typescript/bin/tsc', ['-p', 'tsconfig.browser.json'])).toBe('');
  });

  it('proves and verifies in Node', () => {
    // @types/node and @webgpu/types do not pass that check themselves
    project.run('typescript/bin/tsc', ['-p', 'tsconfig.json']);
    const environment = {
      EGL_PLATFORM: 'surfaceless',
      MESA_SHADER_CACHE_DIR: join(tmpdir(), 'cuzk-mesa-cache'),
    };
    const output = project.run('node', ['node/node.js', 'backend=opengles'], environment);
    expect(output).toContain(': verified');
  });

  it.skipIf(program === null)('proves and verifies in Chromium', async () => {
    project.run('vite/bin/vite.js', [
      ...['build', '--outDir', 'page', '--target', 'es2022', '--logLevel', 'error'],
    ]);
    const server = createServer((request, response) => {
      const path = request.url === '/' ? '/index.html' : (request.url ?? '');
      const file = join(project.folder, 'page', path);
      const type = path.endsWith('.js') ? 'text/javascript' : 'text/html';
      if (!existsSync(file)) return response.writeHead(404).end();
      return response.writeHead(200, { 'content-type': type }).end(readFileSync(file));
    }).listen(0, '127.0.0.1');
    const browser = await chromium.launch({
      executablePath: program as string,
      args: ['--no-sandbox', ...WEBGPU],
    });
    try {
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(error.message));
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      await expect.poll(() => errors.join() || page.title(), { timeout: 240_000 }).toMatch(/erif/);
      expect(await page.title()).toBe('swiftshader: verified');
      expect(errors).toEqual([]);
    } finally {
      await browser.close();
      server.close();
    }
  });
});
