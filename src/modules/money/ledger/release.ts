import { z } from 'zod';
import type { Tx } from '../../../platform/database/db.ts';
import { parseUnits } from '../../../platform/money.ts';
import { type Posted, post } from './post.ts';

/** The facts of a finding about a suspended credit. */
const Held = z.object({
  amount: z.string(),
  currencyId: z.string(),
  account: z.enum(['cash', 'vault', 'bonus', 'hold']),
});

/**
 * Posts a suspended credit to its original account, once. `subject` is the posting that suspended it. Throws 400 AMOUNT_OUT_OF_RANGE if it
 * still does not fit.
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
