import { afterAll, beforeAll } from 'vitest';

type Stoppable = Partial<Record<'stop' | 'close' | 'drop', () => Promise<unknown>>>;

/**
 * A value shared by all tests of a file (or a `describe`): made before the first test and stopped after the last. The fixture made last is
 * stopped first. It has no properties until then, so only tests and hooks may read it.
 */
export function fixture<T extends object>(make: () => Promise<T>, timeoutMs?: number): T {
  const made = {} as T & Stoppable;
  beforeAll(async () => {
    Object.assign(made, await make());
  }, timeoutMs);
  afterAll(() => (made.stop ?? made.close ?? made.drop)?.());
  return made;
}
