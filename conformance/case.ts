import { play } from './script.ts';
import type { Table } from './table.ts';

/** The properties that a case needs its player to have. */
export type Wish = { cash?: string; currency?: string; game?: 'second'; country?: string };

export type Case = {
  /** Number of the case in the specification. */
  number: number;
  title: string;
  /** Letters of the dialects for which the case is run. */
  in: string;
  wish?: Wish;
  /** Script of messages and expected responses. */
  steps?: readonly string[];
  /** Additional actions that a script cannot express. */
  run?: (table: Table) => Promise<void>;
  /** Set if the case cannot be tested from outside the platform. Contains the names of the platform's tests that cover it. */
  elsewhere?: string;
};

/** Runs a case. Throws a Failure, or Skip if the case cannot be run. */
export async function playCase(played: Case, table: Table): Promise<void> {
  if (played.steps) await play(table, played.steps);
  await played.run?.(table);
}

/** Returns the cases of a dialect in order. */
export const casesOf = (cases: readonly Case[], letter: string): Case[] =>
  cases.filter((one) => one.in.includes(letter));
