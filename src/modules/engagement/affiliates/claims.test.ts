import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { newcomer } from '../../../../test/kit/accounts/sign-in.ts';
import { callByTwo, cashOf, PATIENCE, type Player } from '../../../../test/kit/app.ts';
import { anAddress, type Person, startAffiliates } from '../../../../test/kit/engagement/affiliates.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

/** The timeouts are long, because two hundred claims wait for one lock, which is slow on a busy machine. */
const world = fixture(() => startAffiliates({ ...PATIENCE, DATABASE_CONNECT_TIMEOUT_MS: '60000' }));

/** Settings for a commission of 10 % of deposits that can be claimed immediately. */
const PLAIN = { depositCommissionPercent: '10', holdDays: 0, minClaimUsd: '0' };

const claim = (by: Person, headers: Record<string, string> = {}) =>
  by.call('POST', '/affiliate/claim', { headers });
const overviewOf = async (by: Person) => (await by.call('GET', '/affiliate/overview')).body;
const claimable = async (by: Person) => (await overviewOf(by)).claimableUsdAmount;
const cash = (by: Person) => cashOf(by as Player);
const usdtRate = async () => {
  const { body } = await world.app.call('GET', '/currency');
  return Number(body.find((c: { id: string }) => c.id === 'USDT').usdRate);
};

/** Creates an affiliate, a referral, and the referral's deposit. */
async function pair(amount = '100') {
  const owner = await world.affiliate();
  const referral = await world.join({ code: owner.code });
  const paid = await world.payIn(referral, amount);
  return { owner, referral, paid };
}

describe('deposits of referrals', () => {
  test('pays commission on deposits of referrals, stores it with the deposit, and reverses it when the deposit is reversed', async () => {
    await world.set(PLAIN);
    expect(await usdtRate()).toBe(1);
    const { owner, referral, paid } = await pair('33.33333333');
    // The expected commission is 33.33333333 × 1000 / 10^4, rounded down once.
    expect(await claimable(owner)).toBe('3.33333333');
    const { body } = await world.boss.call('GET', `/admin/payments/deposit?userId=${referral.id}`);
    expect(body.data[0]).toMatchObject({ affiliateAmount: '3.33333333', affiliateCodeId: owner.code });
    const rows = (await owner.call('GET', '/affiliate/users')).body;
    expect([rows.total, rows.data[0].earnedUsdAmount]).toEqual([1, '3.33333333']);

    await world.takeBack(paid);
    expect(await claimable(owner)).toBe('0');
    const after = (await world.boss.call('GET', `/admin/payments/deposit?userId=${referral.id}`)).body
      .data[0];
    expect([after.status, after.affiliateAmount]).toEqual(['REVERSED', '0']);
  });

  test('pays no commission on deposits of staff or test users, or when the rate is 0', async () => {
    await world.set(PLAIN);
    const owner = await world.affiliate();
    for (const column of ['is_test', 'is_staff'] as const) {
      const referral = await world.join({ code: owner.code });
      await world.app.db
        .updateTable('users')
        .set({ [column]: true })
        .where('id', '=', referral.id)
        .execute();
      await world.payIn(referral, '50');
    }
    await world.set({ depositCommissionPercent: '0' });
    await world.payIn(await world.join({ code: owner.code }), '50');
    expect(await claimable(owner)).toBe('0');
  });

  test('changes no affiliate totals on the deposit of a player without an affiliate', async () => {
    await world.set(PLAIN);
    const sums = () => world.app.db.selectFrom('affiliates').selectAll().orderBy('user_id').execute();
    const before = await sums();
    await world.payIn(await world.join(), '50');
    expect(await sums()).toEqual(before);
  });
});

describe('a claim', () => {
  test('pays all available commission once in USDT, and shows the claim in claims, statement and notifications', async () => {
    await world.set(PLAIN);
    const { owner } = await pair();
    expect((await owner.call('GET', '/affiliate/me')).body).toMatchObject({
      canClaim: true,
      referralCount: 1,
    });
    const made = await claim(owner);
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^\d+$/),
        usdAmount: '10',
        currencyId: 'USDT',
        amount: '10',
        createdAt: expect.stringMatching(/Z$/),
      },
    ]);
    expect(await cash(owner)).toBe('10');
    expect(await overviewOf(owner)).toMatchObject({
      totalClaimedUsdAmount: '10',
      claimableUsdAmount: '0',
      referrals: 1,
    });
    expect((await owner.call('GET', '/affiliate/claims')).body).toMatchObject({
      total: 1,
      data: [made.body],
    });
    const statement = await world.boss.call('POST', '/admin/accounting/transactions', {
      body: {
        sortBy: 'createdAt',
        sortOrder: 'desc',
        page: 1,
        take: 20,
        where: { userId: owner.id, type: 'AFFILIATE_CLAIM' },
      },
    });
    expect(statement.body.data).toEqual([expect.objectContaining({ amount: '10', currencyId: 'USDT' })]);
    const notes = (await owner.call('GET', '/notifications')).body;
    expect(notes[0]).toMatchObject({ type: 'AFFILIATE', payload: { claimId: made.body.id, amount: '10' } });
    expect(codeOf(await claim(owner))).toBe('409 AFFILIATE_NOTHING_TO_CLAIM');
    expect((await owner.call('GET', '/affiliate/me')).body.canClaim).toBe(false);
  });

  test('pays only once when 200 claims arrive concurrently', async () => {
    await world.set(PLAIN);
    const { owner } = await pair();
    const answers = await Promise.all(Array.from({ length: 200 }, () => claim(owner)));
    expect(answers.map(codeOf).toSorted()).toEqual([
      '201',
      ...Array(199).fill('409 AFFILIATE_NOTHING_TO_CLAIM'),
    ]);
    expect(await cash(owner)).toBe('10');
  }, 240_000);

  test('returns the same claim for twenty requests with one idempotency key', async () => {
    await world.set(PLAIN);
    const { owner } = await pair();
    const key = { 'idempotency-key': 'one-of-mine' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => claim(owner, key)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(await cash(owner)).toBe('10');
  });

  test('pays exactly the earned amount while deposits arrive and are reversed', async () => {
    await world.set(PLAIN);
    const { owner, referral } = await pair();
    const paid = await Promise.all(Array.from({ length: 6 }, () => world.payIn(referral, '20')));
    const back = paid.slice(0, 3).map((said) => world.takeBack(said));
    const more = Array.from({ length: 3 }, () => world.payIn(referral, '30'));
    const claims = Array.from({ length: 10 }, () => claim(owner));
    await Promise.all([...back, ...more, ...claims]);
    await claim(owner);
    // The earnings are 25, which is 10 % of 100 + 6 × 20 − 3 × 20 + 3 × 30. If a deposit is reversed after its commission was claimed, the
    // claims exceed the earnings.
    const { totalClaimedUsdAmount, claimableUsdAmount } = await overviewOf(owner);
    const claimed = Number(totalClaimedUsdAmount);
    expect([claimed >= 25, claimableUsdAmount]).toEqual([true, '0']);
    expect(await cash(owner)).toBe(totalClaimedUsdAmount);
    await world.payIn(referral, '1000');
    expect(Number(await claimable(owner))).toBeCloseTo(125 - claimed, 8);
  });

  test('deducts commission that is reversed after it was claimed from later commission', async () => {
    await world.set(PLAIN);
    const { owner, referral, paid } = await pair();
    expect((await claim(owner)).status).toBe(201);
    await world.takeBack(paid);
    expect([await claimable(owner), await cash(owner)]).toEqual(['0', '10']);
    await world.payIn(referral, '60');
    expect(await claimable(owner)).toBe('0');
    await world.payIn(referral, '60');
    expect(await claimable(owner)).toBe('2');
    expect((await claim(owner)).body.amount).toBe('2');
  });

  test('pays no amount below the minimum claim, which is always at least a cent', async () => {
    await world.set({ ...PLAIN, minClaimUsd: '10.01' });
    const { owner, referral } = await pair();
    const refused = await claim(owner);
    expect([codeOf(refused), refused.body.details]).toEqual([
      '409 AFFILIATE_NOTHING_TO_CLAIM',
      { claimableUsd: '10' },
    ]);
    await world.set({ minClaimUsd: '10' });
    expect((await claim(owner)).status).toBe(201);
    await world.set({ minClaimUsd: '0', depositCommissionPercent: '0.01' });
    await world.payIn(referral, '99.99');
    expect(await claimable(owner)).toBe('0.009999');
    expect(codeOf(await claim(owner))).toBe('409 AFFILIATE_NOTHING_TO_CLAIM');
    await world.payIn(referral, '100');
    expect((await claim(owner)).body.amount).toBe('0.019999');
  });

  test('rejects claims until the affiliate has the minimum number of referrals for the level', async () => {
    await world.set(PLAIN);
    const { owner } = await pair();
    const { body } = await owner.call('GET', '/affiliate/me');
    expect([body.currentLevel.id, body.nextLevel.id]).toEqual([1, 2]);
    const lift = await callByTwo(world.boss, 'PATCH', `/admin/user/${owner.id}`, {
      body: { customMinAffiliateLevel: 2 },
    });
    expect(lift.status).toBe(200);
    const refused = await claim(owner);
    expect([codeOf(refused), refused.body.details]).toEqual([
      '409 AFFILIATE_CLAIM_LOCKED',
      { referralCount: 1, required: 3 },
    ]);
    expect((await owner.call('GET', '/affiliate/me')).body).toMatchObject({
      canClaim: false,
      currentLevel: { id: 2, commission: '7.5', minWageredUsdAmount: '50000', minReferralCountForClaim: 3 },
    });
    for (let i = 0; i < 2; i++) await world.join({ code: owner.code });
    expect((await claim(owner)).status).toBe(201);
  });

  test('pays only commission that is older than the hold period', async () => {
    await world.set({ ...PLAIN, holdDays: 2 });
    const { owner } = await pair();
    expect(await claimable(owner)).toBe('0');
    // Moves the affiliate's earnings to the day that is this number of days ago.
    const age = (days: number) =>
      world.app
        .sql`with moved as (update affiliate_days set day = current_date - ${days}::int where affiliate_user_id = ${owner.id})
        update referral_days set day = current_date - ${days}::int where affiliate_user_id = ${owner.id}`.execute(
        world.app.db,
      );
    await age(2);
    expect(codeOf(await claim(owner))).toBe('409 AFFILIATE_NOTHING_TO_CLAIM');
    await age(3);
    expect((await claim(owner)).body.amount).toBe('10');
    await world.set({ holdDays: 0 });
  });

  test('rejects claims of banned and self-excluded players, who keep their commission', async () => {
    await world.set(PLAIN);
    const [{ owner }, { owner: excluded }] = [await pair(), await pair()];
    const done = await excluded.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 30 } });
    expect(done.status, done.text).toBeLessThan(300);
    expect(codeOf(await claim(excluded))).toBe('403 SELF_EXCLUDED');
    expect(await claimable(excluded)).toBe('10');
    // A ban ends sessions, so the gate can only be tested by setting the flag directly.
    await world.app.db
      .updateTable('players')
      .set({ is_banned: true })
      .where('user_id', '=', owner.id)
      .execute();
    expect(codeOf(await claim(owner))).toBe('403 USER_BANNED');
    await world.app.db
      .updateTable('players')
      .set({ is_banned: false })
      .where('user_id', '=', owner.id)
      .execute();
    expect((await claim(owner)).status).toBe(201);
  });

  test('requires a session', async () => {
    expect(codeOf(await world.app.call('POST', '/affiliate/claim'))).toBe('401 UNAUTHORIZED');
  });
});

describe('earnings from a referral with the same IP address and device', () => {
  test('holds the earnings until the identity is approved, and then counts them on their original days', async () => {
    await world.set(PLAIN);
    const from = '82.1.1.1';
    const owner = await world.affiliate(from);
    const referral = await world.join({ code: owner.code, from });
    await world.payIn(referral, '100');
    expect(codeOf(await claim(owner))).toBe('409 AFFILIATE_NOTHING_TO_CLAIM');
    const clerk = await world.app.as({ permissions: ['affiliate.read'] });
    const extended = async () =>
      (
        await clerk.call('POST', '/admin/affiliate/find-one-extended', {
          body: { where: { userId: owner.id } },
        })
      ).body;
    expect(await extended()).toMatchObject({ earnedCommissions: '10', unclaimedCommissions: '10' });

    const officer = await world.app.as({ permissions: ['kyc.approve'] });
    const decide = (tier: string, action: string) =>
      officer.call('PATCH', `/admin/kyc/${referral.id}`, { body: { tier, action, reason: 'papers seen' } });
    const approved = await decide('ADDRESS', 'APPROVE');
    expect(approved.status, approved.text).toBeLessThan(300);
    expect(await claimable(owner)).toBe('0');
    expect((await decide('IDENTITY', 'APPROVE')).status).toBeLessThan(300);
    expect(await claimable(owner)).toBe('10');
    await world.payIn(referral, '100');
    expect((await claim(owner)).body.amount).toBe('20');
    // The release is permanent, even if the identity is reset.
    expect((await decide('IDENTITY', 'RESET')).status).toBeLessThan(300);
    await world.payIn(referral, '100');
    expect(await claimable(owner)).toBe('10');
  });

  test('releases the held earnings when the debug action sets the KYC level', async () => {
    await world.set(PLAIN);
    const from = '82.1.1.2';
    const owner = await world.affiliate(from);
    const referral = await world.join({ code: owner.code, from });
    await world.payIn(referral, '100');
    const body = (level: number) => ({
      userId: referral.id,
      action: 'SET_KYC_LEVEL',
      params: { level },
    });
    const give = (level: number) => world.app.call('POST', '/debug/user/action', { body: body(level) });
    expect((await give(1)).status).toBe(201);
    expect(await claimable(owner)).toBe('0');
    expect((await give(2)).status).toBe(201);
    expect(await claimable(owner)).toBe('10');
    expect((await give(0)).status).toBe(201);
    expect((await give(4)).status).toBe(201);
    expect(await claimable(owner)).toBe('10');
  });
});

describe('a referral who is the affiliate under another account', () => {
  const PAYOUT = { currencyId: 'USDT', networkId: 'tron', amount: '10', recipientAddress: '' };
  /** Stores a withdrawal to this address. */
  const payOut = async (person: { id: number; call: Person['call'] }, recipientAddress: string) => {
    const funds = { currencyId: 'USDT', amount: '50' };
    const act = (action: string, params?: object) =>
      world.app.call('POST', '/debug/user/action', { body: { userId: person.id, action, params } });
    expect((await act('COMPLETE_WAGERING')).status).toBe(201);
    expect((await act('SET_BALANCE', funds)).status).toBe(201);
    const asked = await person.call('POST', '/payments/withdraw', { body: { ...PAYOUT, recipientAddress } });
    expect(asked.status, asked.text).toBe(201);
  };
  const signalsOf = (id: number) =>
    world.app.db
      .selectFrom('referrals')
      .select(['is_held', 'signals'])
      .where('user_id', '=', id)
      .executeTakeFirstOrThrow();
  const joinWith = async (owner: { code: string }, headers: Record<string, string>) => {
    const user = { ...newcomer(), affiliateCode: owner.code };
    const token = (await world.signUp(user, headers)).body.accessToken.token as string;
    const call: Person['call'] = (method, path, options = {}) =>
      world.app.call(method, path, { token, headers, ...options }) as never;
    const { id } = (await call<{ id: number }>('GET', '/user/me')).body;
    return { id, call };
  };
  const TARGET = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';

  test("holds a referral at the next claim when the referral shares the affiliate's payout address and IP network", async () => {
    await world.set(PLAIN);
    const from = '82.1.2.1';
    const owner = await world.affiliate(from);
    const referral = await joinWith(owner, { 'x-forwarded-for': from, 'user-agent': 'Phone/1' });
    const { id } = referral;
    await world.payIn(referral, '100');
    expect(await signalsOf(id)).toEqual({ is_held: false, signals: ['NETWORK'] });
    expect(await claimable(owner)).toBe('10');
    await payOut(referral, TARGET);
    await payOut(owner, TARGET);
    expect(codeOf(await claim(owner))).toBe('409 AFFILIATE_NOTHING_TO_CLAIM');
    expect(await signalsOf(id)).toEqual({ is_held: true, signals: ['NETWORK', 'PAYOUT_ADDRESS'] });
    // Earnings from later deposits are held too.
    await world.payIn(referral, '100');
    expect(await claimable(owner)).toBe('0');
  });

  test('does not hold a referral merely because of a shared payout address', async () => {
    await world.set(PLAIN);
    const owner = await world.affiliate();
    const referral = await joinWith(owner, { 'x-forwarded-for': anAddress(), 'user-agent': 'Phone/2' });
    await world.payIn(referral, '100');
    await payOut(referral, 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7');
    await payOut(owner, 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7');
    expect((await claim(owner)).status).toBe(201);
    expect(await signalsOf(referral.id)).toEqual({ is_held: false, signals: [] });
  });

  test("holds a referral whose email belongs to the affiliate's mailbox, and keeps the hold when both have the same identity", async () => {
    await world.set(PLAIN);
    const owner = await world.affiliate();
    const referral = await joinWith(owner, { 'x-forwarded-for': anAddress(), 'user-agent': 'Phone/3' });
    await world.payIn(referral, '100');
    const setEmail = (id: number, email: string) =>
      world.app.db.updateTable('users').set({ email }).where('id', '=', id).execute();
    await setEmail(owner.id, 'jane.doe.q7@gmail.com');
    await setEmail(referral.id, 'JaneDoeQ7+casino@googlemail.com');
    expect(codeOf(await claim(owner))).toBe('409 AFFILIATE_NOTHING_TO_CLAIM');
    expect(await signalsOf(referral.id)).toEqual({ is_held: true, signals: ['MAILBOX'] });
    const person = { person_key: Buffer.from('one person'), sealed: Buffer.from('-'), stated_at: new Date() };
    for (const user_id of [owner.id, referral.id])
      await world.app.db
        .insertInto('kyc_persons')
        .values({ user_id, ...person })
        .onConflict((oc) => oc.column('user_id').doUpdateSet(person))
        .execute();
    const body = { userId: referral.id, action: 'SET_KYC_LEVEL', params: { level: 2 } };
    expect((await world.app.call('POST', '/debug/user/action', { body })).status).toBe(201);
    expect((await signalsOf(referral.id)).is_held).toBe(true);
    expect(await claimable(owner)).toBe('0');
  });
});
