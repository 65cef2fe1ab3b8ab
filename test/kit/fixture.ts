import { afterAll, beforeAll } from 'vitest';

type Stoppable = Partial<Record<'stop' | 'close' | 'drop', () => Promise<unknown>>>;

/**
 * Returns a value that all tests of a file (or a `describe`) share. It is created before the first test and stopped after the last. The
 * fixture created last is stopped first. Until it is created, the value has no properties, so only tests and hooks may read it.
 */
export function fixture<T extends object>(make: () => Promise<T>, timeoutMs?: number): T {
  const made = {} as T & Stoppable;
  beforeAll(async () => {
    Object.assign(made, await make());
  }, timeoutMs);
  afterAll(() => (made.stop ?? made.close ?? made.drop)?.());
  return made;
}
