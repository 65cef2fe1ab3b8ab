import { configDefaults, defineConfig } from 'vitest/config';

/** What takes long, or measures time: `npm run test:slow`. */
const SLOW = '**/*.slow.test.ts';
const isSlow = process.env.npm_lifecycle_event === 'test:slow';
const FOLDERS = ['src', 'test', 'sandbox', 'bench', 'rtp'];

export default defineConfig({
  test: {
    include: FOLDERS.map((folder) => `${folder}/${isSlow ? SLOW : '**/*.test.ts'}`),
    exclude: [...configDefaults.exclude, ...(isSlow ? [] : [SLOW])],
    globalSetup: ['test/kit/global.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Loading the application anew for each file would take a third of the whole run; every file has a database of its own.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A machine that others use too may miss a deadline once; what is wrong fails twice.
    retry: process.env.CI ? 1 : 0,
  },
});
