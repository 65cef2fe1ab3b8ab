/** The tests' fixtures: a platform for each worker, its superadmin, its demo data, and pages that are closed automatically. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { test as base, type Page } from '@playwright/test';
import { fillWithDemo, type Platform, type SignIn, startPlatform } from './platform.ts';
import { createStaff } from './users.ts';

type ForWorkers = {
  /** Settings of the worker's platform. A file that changes them gets a platform of its own. */
  settings: Record<string, string>;
  platform: Platform;
  /** The superadmin `console_boss`. */
  superadmin: SignIn;
  /** Fills the platform with demo data. Cannot be used together with `superadmin`. */
  demo: { superadmin: SignIn; player: SignIn };
};

type ForTests = {
  /** Opens a page in another browser context, which has its own cookies. */
  openPage: () => Promise<Page>;
  /** Attaches the platform's log to a failed test. */
  platformLog: undefined;
};

/** Long enough for a machine that also runs other work. */
const MAX_START_MS = 900_000;

export { expect } from '@playwright/test';

export const test = base.extend<ForTests, ForWorkers>({
  settings: [{}, { scope: 'worker', option: true }],

  platform: [
    async ({ settings }, use) => {
      const platform = await startPlatform({ DEBUG_TOKEN: randomBytes(12).toString('hex'), ...settings });
      try {
        await use(platform);
        // Throws if the books of the tests do not balance.
        await platform.run('reconcile').catch((error: Error) => {
          throw new Error(`${error.message}\n${platform.log()}`, { cause: error });
        });
      } finally {
        await platform.stop();
      }
    },
    { scope: 'worker', timeout: MAX_START_MS },
  ],

  superadmin: [
    async ({ platform }, use) => {
      const account = {
        email: 'console@mail.example',
        username: 'console_boss',
        password: `pw ${randomBytes(9).toString('hex')}`,
      };
      await use(await createStaff(platform, account, ['SUPERADMIN']));
    },
    { scope: 'worker' },
  ],

  demo: [
    async ({ platform }, use) => use(await fillWithDemo(platform, { players: 30, days: 10, seed: 3 })),
    { scope: 'worker', timeout: MAX_START_MS },
  ],

  baseURL: ({ platform }, use) => use(platform.api),

  openPage: async ({ browser }, use) => {
    const opened: Page[] = [];
    await use(async () => {
      const page = await (await browser.newContext()).newPage();
      opened.push(page);
      return page;
    });
    for (const page of opened) await page.context().close();
  },

  platformLog: [
    async ({ platform }, use, info) => {
      const begin = platform.log().length;
      await use(undefined);
      if (info.status === info.expectedStatus) return;
      // A file stays in `test-results`. The reporter shortens an attachment without a file.
      const path = info.outputPath('platform.txt');
      writeFileSync(path, platform.log().slice(begin));
      await info.attach('platform log', { path, contentType: 'text/plain' });
    },
    { auto: true },
  ],
});
