import { afterAll, beforeAll } from 'vitest';

type Stoppable = Partial<Record<'stop' | 'close' | 'drop', () => Promise<unknown>>>;

/**
 * What all tests of a file (or of a `describe`) share: made before the first of them, stopped after the last; of several the one made last
 * is stopped first. It has no properties until then, so only tests and hooks may read them.
 */
export function fixture<T extends object>(make: () => Promise<T>, timeoutMs?: number): T {
  const made = {} as T & Stoppable;
  beforeAll(async () => {
    Object.assign(made, await make());
  }, timeoutMs);
  afterAll(() => (made.stop ?? made.close ?? made.drop)?.());
  return made;
}
