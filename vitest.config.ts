import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'sandbox/**/*.test.ts', 'bench/**/*.test.ts'],
    exclude: ['test/crash/**', 'test/browser/**', 'node_modules/**'],
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
