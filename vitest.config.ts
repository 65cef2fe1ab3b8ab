import { configDefaults, defineConfig } from 'vitest/config';

/** What takes long, or measures time: `npm run test:slow`. */
const SLOW = '**/*.slow.test.ts';
/** What needs a real RabbitMQ or Redis beside PostgreSQL: `npm run test:brokers`. */
const BROKERS = '**/*.brokers.test.ts';
const SUITES: Readonly<Record<string, string>> = { 'test:slow': SLOW, 'test:brokers': BROKERS };
const suite = SUITES[process.env.npm_lifecycle_event ?? ''];
const FOLDERS = ['src', 'test', 'sandbox', 'bench', 'rtp', 'conformance'];

export default defineConfig({
  test: {
    include: FOLDERS.map((folder) => `${folder}/${suite ?? '**/*.test.ts'}`),
    exclude: [...configDefaults.exclude, ...(suite ? [] : [SLOW, BROKERS])],
    globalSetup: ['test/kit/global.ts'],
    pool: 'forks',
    // A slow suite measures, or has a whole platform of its own: nothing else runs beside it. Any other waits half of its time.
    maxWorkers: suite === SLOW ? 1 : 3,
    // Loading the application anew for each file would take a third of the whole run; every file has a database of its own.
    isolate: false,
    // What hangs is found the same; what is slow on a machine that others use too has time.
    testTimeout: process.env.CI ? 240_000 : 60_000,
    // What is waited for comes at once; a machine that others use too has time.
    expect: { poll: { timeout: process.env.CI ? 60_000 : 20_000 } },
    hookTimeout: process.env.CI ? 240_000 : 60_000,
    // A machine that others use too may miss a deadline once or twice; what is wrong fails each time.
    retry: process.env.CI ? 2 : 0,
  },
});
