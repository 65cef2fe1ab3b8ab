import { defineConfig } from 'vitest/config';

/** Runs the tests of the mutated file, which `scripts/mutants.ts` passes in. None of them needs a database. */
export default defineConfig({
  test: {
    include: JSON.parse(process.env.MUTANTS_TESTS ?? '[]'),
    isolate: false,
    setupFiles: ['test/kit/http/no-shrinking.ts'],
    testTimeout: 60_000,
  },
});
