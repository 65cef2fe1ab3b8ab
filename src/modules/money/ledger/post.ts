import { z } from 'zod';
import type { Tx } from '../../../platform/database/db.ts';
import { parseUnits, type Units } from '../../../platform/money.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { assertNoClaims, recoverClaims } from './claims.ts';
import type { Kind } from './kinds.ts';
import { isUserAccount, type Posting } from './rules.ts';
import { type Entry, playersOf, type Written, writeEntries } from './write.ts';

/** `recovered`: the part of the credited amounts that paid open claims, in a separate entry under `<key>:claims`. */
export type Posted = Written & { recovered: Units };

/**
 * The only way to move money. Writes the entries in the given order while their players are locked. While a player owes money, outgoing
 * money is rejected with 409 CLAIMS_OPEN, and incoming money pays the claims first (`CLAIM_RULES`). Both rules apply to every caller.
 * Throws when an account's balance is too low or a key was used for other postings (409 ENTRY_KEY_REUSED).
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

/** Pays the claims of every player whom the entry credits, with one recovery per player and currency. */
async function payClaims(tx: Tx, { key, postings }: Entry): Promise<Units> {
  let recovered = 0n;
  const credits = postings.filter(paysClaims);
  for (const { userId, currencyId, amount } of credits)
    recovered += await recoverClaims(tx, { userId, currencyId, amount, key });
  return recovered;
}

/** The data of a finding about a suspended credit. */
const Held = z.object({
  amount: z.string(),
  currencyId: z.string(),
  account: z.enum(['cash', 'vault', 'bonus', 'hold']),
});

/**
 * Posts a suspended credit to the account it was intended for, once. `subject` is the posting that suspended it. Throws 400
 * AMOUNT_OUT_OF_RANGE if the credit is still too large for the account.
 */
export async function releaseHeld(
  tx: Tx,
  { subject, userId, facts, actorId }: { subject: string; userId: number; facts: unknown; actorId: number },
): Promise<Posted> {
  const { amount: text, currencyId, account } = Held.parse(facts);
  const amount = parseUnits(text);
  if (amount === undefined) throw new RangeError(`finding of posting ${subject} names the amount ${text}`);
  const kind = 'suspense.release';
  const posting = { userId, currencyId, kind, debit: 'suspense', credit: account, amount } as const;
  const [posted] = await post(tx, [
    { key: `suspense:${subject}`, kind, actorId, mustFit: true, postings: [posting] },
  ]);
  return posted!;
}

/**
 * How a kind of posting treats a player with an open claim. `pays`: credited cash is first used to pay the claims in its currency.
 * `blocked`: the posting is rejected while a claim is open in any currency. `exempt` is the reason why the kind is exempt.
 */
type ClaimRule = 'pays' | 'blocked' | { exempt: string };

const play: ClaimRule = { exempt: 'Play: a player who owes may bet, and casino payouts do not pay claims.' };
const reversal: ClaimRule = {
  exempt: 'A reversal: it creates claims, and nets a returned stake on its own.',
};
const held: ClaimRule = { exempt: 'The money was held before; its release to cash pays claims.' };
const returned: ClaimRule = { exempt: 'The platform takes money back; the player receives nothing.' };

const suspended: ClaimRule = {
  exempt: 'Accounts of the platform: coins in suspense belong to no player yet.',
};

/** The code does not compile until each new kind of posting has a rule here. */
const CLAIM_RULES: Readonly<Record<Kind, ClaimRule>> = {
  // Money that leaves at the player's request.
  'withdraw.hold': 'blocked',
  'tip.sent': 'blocked',
  'vault.to': 'blocked',
  'vault.from': { exempt: "The player's own money, which a reversal reaches in the vault and in cash." },
  // Incoming money.
  deposit: 'pays',
  'skins.deposit': 'pays',
  'withdraw.release': 'pays',
  'tip.received': 'pays',
  'rakeback.claim': 'pays',
  'affiliate.claim': 'pays',
  'leaderboard.prize': 'pays',
  'challenge.reward': 'pays',
  'admin.tip': 'pays',
  'crm.funds': 'pays',
  'promo.grant': 'pays',
  'promo.conversion': 'pays',
  'suspense.release': 'pays',
  'admin.adjustment': { exempt: 'Staff states the balance itself, and paying a claim would change it.' },
  'debug.credit': { exempt: 'Play money of development.' },
  'bet.stake': play,
  'bet.payout': play,
  'provider.freespin': play,
  'provider.promo': play,
  'provider.jackpot': play,
  'provider.adjustment': { exempt: 'Credits of a sportsbook pay claims in their own batch.' },
  'bet.stake.rollback': reversal,
  'bet.payout.rollback': reversal,
  'deposit.reversal': reversal,
  'skins.deposit.reversal': reversal,
  'promo.conversion.back': reversal,
  'claim.recovery': { exempt: 'It pays the claim.' },
  'withdraw.sent': held,
  'withdraw.fee': held,
  'withdraw.return': held,
  'withdraw.fee.return': held,
  'admin.deduction': returned,
  'challenge.rollback': returned,
  'promo.forfeit': returned,
  'promo.write-off': returned,
  'deposit.suspense': suspended,
  'deposit.suspense.return': suspended,
  'deposit.written-off': suspended,
  'deposit.written-off.reversal': suspended,
  'deposit.return': suspended,
  'deposit.return.fee': suspended,
  'deposit.return.reversal': suspended,
  'deposit.return.fee.reversal': suspended,
  'promo.forfeit.back': { exempt: 'Bonus money returns to its grant; converting it pays claims.' },
};

export const claimRuleOf = (kind: Kind): ClaimRule => CLAIM_RULES[kind];

/** Returns true if a posting is rejected while its player owes money. */
const isBlockedByClaims = ({ kind, debit }: Posting): boolean =>
  isUserAccount(debit) && claimRuleOf(kind) === 'blocked';

/** Returns true if a posting's amount is first used to pay its player's claims. Bonus money pays claims when it is converted to cash. */
const paysClaims = ({ kind, credit }: Posting): boolean => credit === 'cash' && claimRuleOf(kind) === 'pays';
