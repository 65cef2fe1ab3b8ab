import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { type Person, startAffiliates } from '../../../../test/kit/engagement/affiliates.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { checks } from './checks.ts';

const world = fixture(() => startAffiliates());
let owner: Person & { code: string };
let other: Person;
let referral: Person;
beforeAll(async () => {
  await world.set({ depositCommissionPercent: '10', holdDays: 0, minClaimUsd: '0' });
  other = await world.affiliate();
  owner = await world.affiliate();
  referral = await world.join({ code: owner.code });
  await world.payIn(referral, '100');
  expect((await owner.call('POST', '/affiliate/claim')).status).toBe(201);
  await sql`update referrals set last_bet_at = now() where user_id = ${referral.id}`.execute(world.app.db);
});

type Problem = keyof typeof checks.N8;

/** Counts the problems that the checks find after `corrupt` has run, then rolls back the transaction. */
async function found(corrupt: (tx: Tx) => Promise<unknown>): Promise<Record<string, number>> {
  const problems: Record<string, number> = {};
  const undone = new Error('undone');
  await transaction(world.app.db, async (tx) => {
    await corrupt(tx);
    for (const [problem, query] of Object.entries(checks.N8)) {
      const { rows } = await sql.raw(query).execute(tx);
      if (rows.length > 0) problems[problem] = rows.length;
    }
    throw undone;
  }).catch((error: unknown) => {
    if (error !== undone) throw error;
  });
  return problems;
}

/** For each check, a corruption that only this check detects. */
const CORRUPTIONS: Record<Problem, (tx: Tx) => Promise<unknown>> = {
  "an affiliate code's user count is not the number of its referrals": (tx) =>
    sql`update affiliate_codes set users_count = users_count + 1 where user_id = ${owner.id}`.execute(tx),
  "a referral's code does not belong to their affiliate": (tx) =>
    sql`update affiliate_codes set user_id = ${other.id} where user_id = ${owner.id}`.execute(tx),
  "a referral's totals are not the sums of their daily totals": (tx) =>
    sql`update referrals set earned_usd = earned_usd + 1 where user_id = ${referral.id}`.execute(tx),
  "an affiliate's totals are not the sums of their referrals' totals": (tx) =>
    sql`update affiliates set deposited_usd = deposited_usd + 1 where user_id = ${owner.id}`.execute(tx),
  "an affiliate's commission is not the sum of their daily commission": (tx) =>
    sql`update affiliates set held_usd = held_usd + 1 where user_id = ${owner.id}`.execute(tx),
  // The check reports two days: the day of the earnings, and the day to which they were moved.
  "an affiliate's daily commission is not the sum of their referrals' commission": (tx) =>
    sql`update referral_days set day = day - 1 where user_id = ${referral.id}`.execute(tx),
  'the count of active referrals does not match their last bets': (tx) =>
    sql`update referral_activity set referrals = referrals + 1 where affiliate_user_id = ${owner.id}`.execute(
      tx,
    ),
  "an affiliate's claimed amount is not the sum of their claims": (tx) =>
    sql`update affiliates set claimed_usd = claimed_usd + 1 where user_id = ${owner.id}`.execute(tx),
  "an affiliate's claims do not match the ledger": (tx) =>
    sql`update affiliate_claims set amount = amount + 1 where user_id = ${owner.id}`.execute(tx),
};

test('finds no problem in intact data', async () => {
  expect(await found(async () => undefined)).toEqual({});
});

test.each(Object.entries(CORRUPTIONS))(
  'detects the problem "%s" and no other problem',
  async (problem, corrupt) => {
    const places =
      problem === "an affiliate's daily commission is not the sum of their referrals' commission" ? 2 : 1;
    expect(await found(corrupt)).toEqual({ [problem]: places });
  },
);
