import { configDefaults, defineConfig } from 'vitest/config';

/** Tests that take long or start whole processes: `TEST_SUITE=slow npm test`. */
const SLOW = '**/*.slow.test.ts';
/** Tests that measure time: `TEST_SUITE=timed npm test`. */
const TIMED = '**/*.timed.test.ts';
/** Tests that need a real RabbitMQ or Redis next to PostgreSQL: `TEST_SUITE=brokers npm test`. */
const BROKERS = '**/*.brokers.test.ts';
const SUITES: Readonly<Record<string, string>> = { slow: SLOW, timed: TIMED, brokers: BROKERS };
/** The number of files that run concurrently. Timed tests run alone. Slow tests start whole platforms, which use more memory. */
const WORKERS = new Map([
  [TIMED, 1],
  [SLOW, 2],
]);
const { TEST_SUITE = '' } = process.env;
const suite = SUITES[TEST_SUITE];
if (TEST_SUITE !== '' && !suite)
  throw new Error(`TEST_SUITE must be one of ${Object.keys(SUITES).join(', ')}, or be unset.`);
const FOLDERS = ['src', 'test', 'sandbox', 'rtp', 'conformance'];

export default defineConfig({
  test: {
    include: FOLDERS.map((folder) => `${folder}/${suite ?? '**/*.test.ts'}`),
    exclude: [...configDefaults.exclude, ...(suite ? [] : Object.values(SUITES))],
    globalSetup: ['test/kit/global.ts'],
    pool: 'forks',
    maxWorkers: WORKERS.get(suite ?? '') ?? 3,
    // Loading the application again for each file would take a third of the whole run. Each file has its own database.
    isolate: false,
    // Long enough for a machine that also runs other work. A test that hangs still fails.
    testTimeout: 240_000,
    // Expected values usually appear immediately, but later on a machine that also runs other work.
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: 240_000,
    // On a machine that also runs other work, a test may miss a deadline once. CI lists repeated tests, and fails if there are many.
    retry: process.env.CI ? 1 : 0,
  },
});
