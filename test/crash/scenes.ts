import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { World } from './operations.ts';

/**
 * Point at which a worker is killed: `before` a statement with this text reaches the database, `after` its response, or `committed`.
 * `committed` means that the transaction of the statement is committed, but not yet acknowledged.
 */
export type WorkerPoint = { name: string; text: string; when: 'before' | 'after' | 'committed' };
export const WHENS = ['before', 'after', 'committed'] as const;

/** A task of a worker. It runs once for each point at which the worker is killed. */
export type Scene = {
  name: string;
  /** The consumer that starts the task. It is paused until everything is prepared. */
  cursor?: string;
  points: readonly WorkerPoint[];
  /** Returns a function that lists the problems after another worker has completed the task. */
  prepare: (world: Omit<World, 'victimUrl'>) => Promise<() => Promise<string[]>>;
};

const PATIENCE_MS = 60_000;

/** Waits for an expected state. Returns a description of the actual state if the expected one is not reached. */
export async function becomes<T extends object>(read: () => Promise<T>, expected: T): Promise<string[]> {
  for (const until = performance.now() + PATIENCE_MS; ; await sleep(250)) {
    const state = await read();
    if (isDeepStrictEqual(state, expected)) return [];
    if (performance.now() > until) return [`it is ${said(state)}, not ${said(expected)}`];
  }
}

const said = (state: object) =>
  JSON.stringify(state, (_, value) => (typeof value === 'bigint' ? String(value) : value));
