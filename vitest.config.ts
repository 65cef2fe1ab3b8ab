import { configDefaults, defineConfig } from 'vitest/config';

/** Tests that take long or start whole processes: `TEST_SUITE=slow npm test`. */
const SLOW = '**/*.slow.test.ts';
/** Tests that measure time: `TEST_SUITE=timed npm test`. */
const TIMED = '**/*.timed.test.ts';
/** Tests that need a real RabbitMQ or Redis next to PostgreSQL: `TEST_SUITE=brokers npm test`. */
const BROKERS = '**/*.brokers.test.ts';
const SUITES: Readonly<Record<string, string>> = { slow: SLOW, timed: TIMED, brokers: BROKERS };
/** Nothing else runs next to a measurement. A slow test runs whole platforms and mostly waits; any other waits half of its time. */
const WORKERS = new Map([
  [TIMED, 1],
  [SLOW, 2],
]);
const { TEST_SUITE = '' } = process.env;
const suite = SUITES[TEST_SUITE];
if (TEST_SUITE !== '' && !suite)
  throw new Error(`TEST_SUITE must be one of ${Object.keys(SUITES).join(', ')}, or be unset.`);
const FOLDERS = ['src', 'test', 'sandbox', 'bench', 'rtp', 'conformance'];

export default defineConfig({
  test: {
    include: FOLDERS.map((folder) => `${folder}/${suite ?? '**/*.test.ts'}`),
    exclude: [...configDefaults.exclude, ...(suite ? [] : Object.values(SUITES))],
    globalSetup: ['test/kit/global.ts'],
    pool: 'forks',
    maxWorkers: WORKERS.get(suite ?? '') ?? 3,
    // Loading the application anew for each file would take a third of the whole run; every file has a database of its own.
    isolate: false,
    // What hangs is found the same; what is slow on a machine that others use too has time.
    testTimeout: 240_000,
    // What is waited for comes at once; a machine that others use too has time.
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: 240_000,
    // A machine that others use too may miss a deadline once or twice; what is wrong fails each time.
    retry: process.env.CI ? 2 : 0,
  },
});
