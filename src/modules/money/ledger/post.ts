import type { Tx } from '../../../platform/database/db.ts';
import type { Units } from '../../../platform/money.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { isBlockedByClaims, paysClaims } from './claim-rules.ts';
import { assertNoClaims, recoverClaims } from './claims.ts';
import { type Entry, playersOf, type Written, writeEntries } from './write.ts';

/** `recovered`: the part of the credited amounts that paid open claims, in a separate entry under `<key>:claims`. */
export type Posted = Written & { recovered: Units };

/**
 * The only way to move money. Writes the entries in the given order while their players are locked. Withdrawing money from a player who
 * owes is rejected with 409 CLAIMS_OPEN, and incoming money pays the claims first (`claim-rules.ts`); both apply to every caller. Throws
 * when an account's balance is too low or a key was used for other postings (409 ENTRY_KEY_REUSED).
 */
export async function post(tx: Tx, entries: readonly Entry[]): Promise<Posted[]> {
  const leaving = entries.flatMap(({ postings }) => postings).filter(isBlockedByClaims);
  if (leaving.length > 0) {
    await lockPlayers(tx, playersOf(entries));
    for (const userId of new Set(leaving.map((posting) => posting.userId))) await assertNoClaims(tx, userId);
  }
  const written = await writeEntries(tx, entries);
  const posted: Posted[] = [];
  for (const [i, entry] of entries.entries()) {
    const recovered = written[i]!.replayed ? 0n : await payClaims(tx, entry);
    posted.push({ ...written[i]!, recovered });
  }
  return posted;
}

/** Pays the claims of every player the entry credits, with one recovery per player and currency. */
async function payClaims(tx: Tx, { key, postings }: Entry): Promise<Units> {
  let recovered = 0n;
  const credits = postings.filter(paysClaims);
  for (const { userId, currencyId, amount } of credits)
    recovered += await recoverClaims(tx, { userId, currencyId, amount, key });
  return recovered;
}
