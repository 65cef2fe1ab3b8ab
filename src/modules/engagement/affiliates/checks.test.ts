import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { type Person, startAffiliates } from '../../../../test/kit/engagement/affiliates.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { checks } from './module.ts';

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

type Problem = keyof typeof checks;

/** Counts the problems that the checks find after `corrupt` has run, then rolls back the transaction. */
async function found(corrupt: (tx: Tx) => Promise<unknown>): Promise<Record<string, number>> {
  const problems: Record<string, number> = {};
  const undone = new Error('undone');
  await transaction(world.app.db, async (tx) => {
    await corrupt(tx);
    for (const [problem, query] of Object.entries(checks)) {
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
  'a code does not count those who came with it': (tx) =>
    sql`update affiliate_codes set users_count = users_count + 1 where user_id = ${owner.id}`.execute(tx),
  'the code of a referral is not one of their affiliate': (tx) =>
    sql`update affiliate_codes set user_id = ${other.id} where user_id = ${owner.id}`.execute(tx),
  'a referral is not the sum of their days': (tx) =>
    sql`update referrals set earned_usd = earned_usd + 1 where user_id = ${referral.id}`.execute(tx),
  'an affiliate is not the sum of their referrals': (tx) =>
    sql`update affiliates set deposited_usd = deposited_usd + 1 where user_id = ${owner.id}`.execute(tx),
  'an affiliate is not the sum of their days': (tx) =>
    sql`update affiliates set held_usd = held_usd + 1 where user_id = ${owner.id}`.execute(tx),
  // The check reports two days: the day of the earnings, and the day to which they were moved.
  'a day of an affiliate is not what its referrals have earned': (tx) =>
    sql`update referral_days set day = day - 1 where user_id = ${referral.id}`.execute(tx),
  'active referrals are not counted as they bet': (tx) =>
    sql`update referral_activity set referrals = referrals + 1 where affiliate_user_id = ${owner.id}`.execute(
      tx,
    ),
  'what an affiliate has claimed is not the sum of the claims': (tx) =>
    sql`update affiliates set claimed_usd = claimed_usd + 1 where user_id = ${owner.id}`.execute(tx),
  'claims of an affiliate are not what the ledger has paid': (tx) =>
    sql`update affiliate_claims set amount = amount + 1 where user_id = ${owner.id}`.execute(tx),
};

test('finds no problem in intact data', async () => {
  expect(await found(async () => undefined)).toEqual({});
});

test.each(Object.entries(CORRUPTIONS))(
  'detects the problem "%s" and no other problem',
  async (problem, corrupt) => {
    const places = problem === 'a day of an affiliate is not what its referrals have earned' ? 2 : 1;
    expect(await found(corrupt)).toEqual({ [problem]: places });
  },
);
