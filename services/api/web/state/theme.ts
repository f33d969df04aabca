import { effect, signal } from '@preact/signals';

type Theme = 'system' | 'light' | 'dark';
const NAME = 'cuzk.theme';
const stored = localStorage.getItem(NAME);

const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system');
const system = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(system.matches);
system.addEventListener('change', () => {
  systemIsDark.value = system.matches;
});

/** Whether the page is dark now; charts are drawn again when it changes. */
export const isDark = (): boolean =>
  theme.value === 'system' ? systemIsDark.value : theme.value === 'dark';

effect(() => {
  localStorage.setItem(NAME, theme.value);
  document.documentElement.dataset.theme = theme.value;
});

/** The other one of light and dark. */
export function toggleTheme(): void {
  theme.value = isDark() ? 'light' : 'dark';
}
