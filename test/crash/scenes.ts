import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { World } from './operations.ts';

/**
 * Where a worker dies: `before` a statement that has this text reaches the database, `after` it was answered, or with its transaction
 * `committed` and nobody told.
 */
export type WorkerPoint = { name: string; text: string; when: 'before' | 'after' | 'committed' };
export const WHENS = ['before', 'after', 'committed'] as const;

/** Something that a worker has to do, once for each of its points. */
export type Scene = {
  name: string;
  /** The consumer that begins it, which waits until all is prepared. */
  cursor?: string;
  points: readonly WorkerPoint[];
  /** Answers what is not as it should be, once another worker has done the rest. */
  prepare: (world: Omit<World, 'victimUrl'>) => Promise<() => Promise<string[]>>;
};

const PATIENCE_MS = 60_000;

/** Waits for a state to come; answers what is there in its place. */
export async function becomes<T extends object>(read: () => Promise<T>, expected: T): Promise<string[]> {
  for (const until = performance.now() + PATIENCE_MS; ; await sleep(250)) {
    const state = await read();
    if (isDeepStrictEqual(state, expected)) return [];
    if (performance.now() > until) return [`it is ${said(state)}, not ${said(expected)}`];
  }
}

const said = (state: object) =>
  JSON.stringify(state, (_, value) => (typeof value === 'bigint' ? String(value) : value));
