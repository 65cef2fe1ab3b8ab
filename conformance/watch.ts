import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, isSame, type Table } from './table.ts';

const PATIENCE_MS = 5000;

/** Expects these bets in the player's list, each given as status, stake and payout. */
export async function expectBets(table: Table, ...wanted: string[]): Promise<void> {
  const guest = await table.guest();
  const seen = (await table.line.operator.bets(guest)).map(
    ({ status, amount, payout }) => `${status} ${amount} ${payout}`,
  );
  const isAsWanted = seen.length === wanted.length && wanted.every((bet) => seen.includes(bet));
  if (!isAsWanted)
    throw new Failure(`expected the bets ${wanted.join(', ') || 'none'} got ${seen.join(', ') || 'none'}`);
}

/** Waits until an amount has the expected value. */
export async function isWanted(wanted: string, read: () => Promise<string>): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; ; await sleep(50)) {
    const amount = await read();
    if (isSame(amount, wanted)) return;
    if (Date.now() > until) throw new Failure(`expected ${wanted} got ${amount}`);
  }
}

/** Calls `run` this many times, with some of the calls concurrent. */
export async function at(times: number, atOnce: number, run: (n: number) => Promise<void>): Promise<void> {
  let n = 0;
  const work = async () => {
    while (n < times) await run(++n);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
