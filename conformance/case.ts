import { play } from './script.ts';
import type { Table } from './table.ts';

/** Which players a case begins with. */
export type Wish = { cash?: string; currency?: string; game?: 'second'; country?: string };

export type Case = {
  /** As the specification counts them. */
  number: number;
  title: string;
  /** Letters of the dialects that it is played in. */
  in: string;
  wish?: Wish;
  /** What is said and answered. */
  steps?: readonly string[];
  /** Where there is more to do than to say and hear. */
  run?: (table: Table) => Promise<void>;
  /** Cannot be arranged from outside: the tests of the platform that hold it. */
  elsewhere?: string;
};

/** Plays a case; throws a Failure, or Skip where it cannot be played. */
export async function playCase(played: Case, table: Table): Promise<void> {
  if (played.steps) await play(table, played.steps);
  await played.run?.(table);
}

/** The cases of a dialect, in their order. */
export const casesOf = (cases: readonly Case[], letter: string): Case[] =>
  cases.filter((one) => one.in.includes(letter));
