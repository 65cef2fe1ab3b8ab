import { local } from './storage.ts';
import { createStore } from './store.ts';

export const THEMES = ['dark', 'light', 'system'] as const;
export type Theme = (typeof THEMES)[number];

const light = matchMedia('(prefers-color-scheme: light)');
const known = (text: string | undefined): Theme => THEMES.find((theme) => theme === text) ?? 'dark';
const theme = createStore<Theme>(known(local.get('theme')));

/** The chosen theme. Visitors who chose none see the dark one. */
export const useTheme = theme.use;

export function chooseTheme(chosen: Theme): void {
  local.set('theme', chosen);
  theme.set(chosen);
  showTheme();
}

/** Shows the chosen theme. Call it before the first render. */
export function showTheme(): void {
  const shown = theme.get() === 'system' ? (light.matches ? 'light' : 'dark') : theme.get();
  const { documentElement: page } = document;
  page.dataset.theme = shown;
  // Phones show the browser's bar in this colour.
  const ground = getComputedStyle(page).getPropertyValue('--brand-ground').trim();
  if (ground) document.querySelector('meta[name="theme-color"]')?.setAttribute('content', ground);
}

light.addEventListener('change', showTheme);
