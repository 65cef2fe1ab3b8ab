import { defineConfig } from 'vitest/config';

/** `npm run ci -- mutants` names the tests: those that judge the file it mutates. None of them needs a database. */
export default defineConfig({
  test: {
    include: JSON.parse(process.env.MUTANTS_TESTS ?? '[]'),
    isolate: false,
    setupFiles: ['test/kit/http/no-shrinking.ts'],
    testTimeout: 60_000,
  },
});
