/**
 * Browser tests: `npx playwright test`. `npx playwright test lobby -g dice` runs the tests whose path contains `lobby` and whose title
 * contains `dice`.
 */
import { defineConfig } from '@playwright/test';
import { installedChromium } from './test/browser/chromium.ts';

/** Longer than a browser needs, because the machine may also run other work. A test that hangs still fails. */
const LOADED_MS = 20_000;

export default defineConfig({
  outputDir: 'test-results',
  // Two projects run at a time. Those with the most work come first, so that both workers end at about the same time.
  workers: 2,
  projects: ['lobby', 'screens', 'console', 'pages'].map((name) => ({
    name,
    testDir: `test/browser/${name}`,
    // A worker starts a platform, which costs as much as several tests.
    workers: 1,
    // Hundreds of pages are opened only to look at them once.
    ...(name === 'screens' && { use: { contextOptions: { reducedMotion: 'reduce' as const } } }),
  })),
  timeout: 900_000,
  expect: { timeout: LOADED_MS, toPass: { timeout: 60_000 } },
  // On a machine that also runs other work, a test may miss a deadline once. A real fault fails both times.
  retries: process.env.CI ? 1 : 0,
  forbidOnly: Boolean(process.env.CI),
  reporter: 'list',
  use: {
    launchOptions: installedChromium(),
    actionTimeout: LOADED_MS,
    navigationTimeout: LOADED_MS,
    trace: 'on-first-retry',
    screenshot: 'only-on-failure',
  },
});
