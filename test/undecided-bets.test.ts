/**
 * Tests that stakes returned without a win or a loss earn no rewards. Simulates attacks over HTTP, and compares random bet lifecycles with
 * a small model.
 */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Move, Call as SupplierCall } from '../conformance/dialect.ts';
import { formatUnits, units } from '../src/platform/money.ts';
import { type Person, startAffiliates } from './kit/engagement/affiliates.ts';
import { consumeChallenges } from './kit/engagement/challenges.ts';
import { leaderboardsOf } from './kit/engagement/leaderboards.ts';
import { countRewards } from './kit/engagement/rewards.ts';
import { fixture } from './kit/fixture.ts';
import { sportsbookKey } from './kit/games/sportsbook.ts';
import { addSupplierGames, SUPPLIERS, startSuppliers } from './kit/games/suppliers.ts';
import { letOneAdjust } from './kit/money/adjustments.ts';

const suppliers = fixture(startSuppliers);
const world = fixture(() => startAffiliates(suppliers.env));
const key = fixture(() => sportsbookKey(world.app));
beforeAll(async () => {
  await letOneAdjust(world.app);
  await addSupplierGames(world.app);
});

const AT = '2026-11-21T09:30:00.000Z';
const GENERIC = SUPPLIERS.find(({ name }) => name === 'generic')!;
const GAME = `${GENERIC.slug}-one`;

type Call = { type: string; reason: string; cash: string; betId?: string; parentId?: string };

/** Sends a sportsbook transaction. Returns its id and code. */
async function send({ id: userId }: Person, { type, reason, cash, ...of }: Call) {
  const id = randomUUID();
  const body = {
    id,
    currency: 'USDT',
    platform: 'web',
    type,
    initiatedAt: AT,
    createdAt: AT,
    context: { product: 'sport', reason, ...of },
    amountBreakdown: { cash },
  };
  const path = `/sportsbook/external/wallet/${userId}/transactions`;
  const { status, body: answer } = await world.app.call('POST', path, { body, headers: key });
  return { id, code: status === 200 ? 'OK' : answer.code };
}

/** Creates a referral who has deposited 5,000 USDT, and everything that can count their bets, such as a leaderboard and a challenge. */
async function table() {
  const boards = leaderboardsOf(world.app, world.boss);
  await boards.cancelAll();
  const owner = await world.affiliate();
  const player = await world.join({ code: owner.code });
  await world.payIn(player, '5000');
  const boardId = await boards.special();
  const body = {
    gameSlug: 'sportsbook',
    minBetAmountUsd: '0.01',
    minBetMultiplier: 1,
    rewardCurrency: 'USDT',
    rewardAmount: '1',
    isHidden: false,
  };
  const challenge = await world.boss.call('PUT', '/admin/challenge', { body });
  expect(challenge.status, challenge.text).toBe(200);

  /** Returns the totals to which the player's bets contribute, such as rewards and leaderboard scores, in US dollars. */
  const counted = async () => {
    await countRewards(world.app);
    await boards.count();
    await consumeChallenges(world.app);
    const { body: eligibility } = await player.call('GET', '/payments/withdraw/eligibility?currencyId=USDT');
    const { rows } = await sql<Record<'vip' | 'referred' | 'rakeback' | 'commission' | 'candidates', string>>`
      select coalesce((select wagered_usd from vip_progress where user_id = ${player.id}), 0)::text as vip,
        coalesce((select sum(accrued) from rakeback_periods where user_id = ${player.id}), 0)::text as rakeback,
        f.wagered_usd::text as referred, f.earned_usd::text as commission,
        (select count(*) from challenge_bests where user_id = ${player.id}
          and challenge_id = ${challenge.body.id})::text as candidates
      from referrals f where user_id = ${player.id}`.execute(world.app.db);
    const { vip, referred, rakeback, commission, candidates } = rows[0]!;
    const [standing] = (await boards.standings(boardId)).filter(
      ([, id]: [number, number]) => id === player.id,
    );
    return {
      turnover: formatUnits(units('5000') - units(eligibility.wagerRemainingUsd)),
      vip: formatUnits(BigInt(vip)),
      referred: formatUnits(BigInt(referred)),
      score: standing?.[2] ?? '0',
      earnsRakeback: rakeback !== '0',
      earnsCommission: commission !== '0',
      candidates: Number(candidates),
    };
  };
  const bet = async (cash: string) => {
    const betId = randomUUID();
    const { id, code } = await send(player, { type: 'withdrawal', reason: 'bet', cash, betId });
    expect(code).toBe('OK');
    const say = (type: string, reason: string, amount: string) =>
      send(player, { type, reason, cash: amount, betId });
    const back = (parentId: string) =>
      send(player, { type: 'rollback', reason: 'sport rollback', cash: '0', parentId, betId });
    return { id, betId, say, back };
  };
  return { owner, player, counted, bet, challengeId: challenge.body.id as string };
}

const NOTHING = {
  turnover: '0',
  vip: '0',
  referred: '0',
  score: '0',
  earnsRakeback: false,
  earnsCommission: false,
  candidates: 0,
};
const all = (usd: string, candidates = 1) => ({
  turnover: usd,
  vip: usd,
  referred: usd,
  score: usd,
  earnsRakeback: true,
  earnsCommission: true,
  candidates,
});

describe('a sportsbook bet of 1,000', () => {
  test.each([
    ['is void', 'void', '1000'],
    ['is cancelled', 'cancelled', '1000'],
    ['is refunded', 'refund', '1000'],
    ['is settled at its stake', 'settle', '1000'],
    ['is cashed out below its stake', 'cash-out', '900'],
    ['is cashed out above its stake', 'cash-out', '1100'],
  ])('does not count the bet when it %s', async (_name, reason, paid) => {
    const { counted, bet } = await table();
    const { say } = await bet('1000');
    expect(await counted()).toEqual(NOTHING);
    expect((await say('deposit', reason, paid)).code).toBe('OK');
    expect(await counted()).toEqual(NOTHING);
  });

  test('counts the bet in full when it is lost, and counts half of it when it is half won or half lost', async () => {
    const lost = await table();
    await (await lost.bet('1000')).say('deposit', 'settle', '0');
    expect(await lost.counted()).toEqual(all('1000', 0));
    const half = await table();
    await (await half.bet('1000')).say('deposit', 'half-won', '1400');
    expect(await half.counted()).toEqual(all('500'));
    await (await half.bet('1000')).say('deposit', 'settle', '500');
    expect(await half.counted()).toEqual(all('1000'));
  });

  test('counts the bet again after each resettlement', async () => {
    const { counted, bet } = await table();
    const { say, back, id } = await bet('1000');
    await say('deposit', 'settle', '1500');
    expect(await counted()).toEqual(all('1000'));
    await say('withdrawal', 'resettle', '500');
    expect(await counted()).toEqual(NOTHING);
    const won = await say('deposit', 'resettle', '500');
    expect(await counted()).toEqual(all('1000'));
    await back(won.id);
    expect(await counted()).toEqual(NOTHING);
    await say('withdrawal', 'cancelsettle', '1000');
    await back(id);
    expect(await counted()).toEqual(NOTHING);
  });

  test('requires the stake to be wagered again when the bet is voided after later deposits', async () => {
    const { counted, bet, player } = await table();
    const { say } = await bet('1000');
    await say('deposit', 'settle', '1500');
    expect(await counted()).toEqual(all('1000'));
    const required = async () => {
      const { body } = await player.call('GET', '/payments/withdraw/eligibility?currencyId=USDT');
      return body.wagerRemainingUsd;
    };
    await world.payIn(player, '5');
    expect(await required()).toBe('4005');
    await say('withdrawal', 'resettle', '500');
    expect(await required()).toBe('5005');
    await world.payIn(player, '5');
    expect(await required()).toBe('5010');
    await say('deposit', 'resettle', '500');
    expect(await required()).toBe('4010');
  });

  test('does not let staff select a void bet as the winner of a challenge', async () => {
    const { counted, bet, player, challengeId } = await table();
    await (await bet('1000')).say('deposit', 'void', '1000');
    await counted();
    const [row] = await world.app.db
      .selectFrom('bets')
      .select('id')
      .where('user_id', '=', player.id)
      .execute();
    const betId = String(row!.id);
    const answer = await world.boss.call('POST', `/admin/challenge/${challengeId}/award`, {
      body: { betId, sendNotification: false },
      headers: { 'Idempotency-Key': randomUUID() },
    });
    expect(answer).toMatchObject({
      status: 409,
      body: { code: 'CHALLENGE_BET_NOT_ELIGIBLE', details: { rule: 'DECIDED' } },
    });
  });
});

test('counts the player as an active referral only while at least one bet still counts', async () => {
  const { owner, counted, bet } = await table();
  const activeReferrals = async () => {
    await counted();
    return (await owner.call('GET', '/affiliate/me')).body.activeReferrals;
  };
  const first = await bet('10');
  const settled = await first.say('deposit', 'settle', '0');
  expect(await activeReferrals()).toBe(1);
  await first.back(settled.id);
  await first.back(first.id);
  expect(await activeReferrals()).toBe(0);
  await (await bet('10')).say('deposit', 'void', '10');
  expect(await activeReferrals()).toBe(0);
  await (await bet('10')).say('deposit', 'settle', '0');
  const other = await bet('10');
  const lost = await other.say('deposit', 'settle', '0');
  expect(await activeReferrals()).toBe(1);
  await other.back(lost.id);
  await other.back(other.id);
  expect(await activeReferrals()).toBe(1);
});

/** One bet lifecycle: a stake and the events that follow it. Amounts are whole dollars. */
type Life = { stake: number; ends: readonly End[] };
type End =
  | { kind: 'settle'; paid: number }
  | { kind: 'void' | 'half-lost' | 'cash-out' | 'resettle-lost' | 'cancel' | 'undo' };

const end: fc.Arbitrary<End> = fc.oneof(
  fc.record({ kind: fc.constant('settle' as const), paid: fc.integer({ min: 0, max: 60 }) }),
  fc.record({
    kind: fc.constantFrom('void', 'half-lost', 'cash-out', 'resettle-lost', 'cancel', 'undo' as const),
  }),
) as fc.Arbitrary<End>;
const life: fc.Arbitrary<Life> = fc.record({
  stake: fc.integer({ min: 1, max: 20 }).map((half) => half * 2),
  ends: fc.array(end, { maxLength: 5 }),
});

type Standing = { id: string; paid: number; share: number };

/** Runs one bet lifecycle and returns the amount that should count at the end, computed independently of the code under test. */
async function live(person: Person, { stake, ends }: Life): Promise<number> {
  const betId = randomUUID();
  await send(person, { type: 'withdrawal', reason: 'bet', cash: String(stake), betId });
  let standing: Standing[] = [];
  const paid = () => standing.reduce((sum, move) => sum + move.paid, 0);
  const say = async (type: string, reason: string, change: number, share: number) => {
    const { id, code } = await send(person, { type, reason, cash: String(Math.abs(change)), betId });
    expect(code).toBe('OK');
    standing.push({ id, paid: change, share });
  };
  for (const step of ends) {
    const due = (to: number) => to - paid();
    if (step.kind === 'settle') await say('deposit', 'settle', step.paid, 1);
    if (step.kind === 'void') await say('deposit', 'void', Math.max(0, due(stake)), 0);
    if (step.kind === 'half-lost') await say('deposit', 'half-lost', Math.max(0, due(stake / 2)), 0.5);
    if (step.kind === 'cash-out') await say('deposit', 'cash-out', 3, 0);
    if (step.kind === 'resettle-lost' && standing.length > 0) await say('withdrawal', 'resettle', -paid(), 1);
    if (step.kind === 'cancel' && standing.length > 0) {
      const sent = { type: 'withdrawal', reason: 'cancelsettle', cash: String(paid()), betId };
      expect((await send(person, sent)).code).toBe('OK');
      standing = [];
    }
    const last = standing.at(-1);
    if (
      step.kind === 'undo' &&
      last &&
      paid() - last.paid >= 0 &&
      (standing.length > 1 || paid() === last.paid)
    ) {
      const sent = { type: 'rollback', reason: 'sport rollback', cash: '0', parentId: last.id, betId };
      expect((await send(person, sent)).code).toBe('OK');
      standing.pop();
    }
  }
  const last = standing.at(-1);
  if (!last || paid() === stake) return 0;
  return last.share === 1 && paid() === stake / 2 ? stake / 2 : stake * last.share;
}

test("matches a small model's totals after random sportsbook bet lifecycles", {
  timeout: 300_000,
}, async () => {
  const { player, counted } = await table();
  let expected = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 4 }), async (lives) => {
      for (const each of lives) expected += await live(player, each);
      const { turnover, vip, referred, score } = await counted();
      const usd = String(expected);
      expect({ turnover, vip, referred, score }).toEqual({
        turnover: usd,
        vip: usd,
        referred: usd,
        score: usd,
      });
    }),
    { numRuns: 8, endOnFailure: true, seed: 32 },
  );
});

/** A provider round: stakes and wins in dollars, and the indexes of the stakes that are rolled back. */
const round = fc.record({
  stakes: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 3 }),
  win: fc.integer({ min: 0, max: 40 }),
  undone: fc.array(fc.nat({ max: 2 }), { maxLength: 3 }),
});

test('counts provider stakes that were not rolled back, whenever the rollback arrives', {
  timeout: 300_000,
}, async () => {
  const { player, counted } = await table();
  const launched = await player.call('POST', `/casino/games/${GAME}/launch`, {
    body: { currencyId: 'USDT' },
  });
  expect(launched.status, launched.text).toBe(201);
  const seat = {
    playerId: String(player.id),
    token: launched.body.sessionToken as string,
    currency: 'USDT',
    gameCode: `${GENERIC.slug}:one`,
  };
  /** Sends a transaction and returns true if it was accepted. */
  const say = async (ref: string, move: Move, closes = false): Promise<boolean> => {
    const message = { seat, round: ref, moves: [move], closes };
    const [{ path, body, headers }] = GENERIC.calls(message, { secret: GENERIC.secret }) as [SupplierCall];
    const url = `${world.app.url}${GENERIC.base(GENERIC.slug)}${path}`;
    const answer = await fetch(url, { method: 'POST', body, headers });
    return GENERIC.read({ status: answer.status, body: await answer.text() }).code === GENERIC.codes.OK;
  };
  const takeBack = (ref: string, reference: string, amount: number) =>
    say(ref, { type: 'rollback', id: randomUUID(), amount: String(amount), reference });
  let rolledBack = 0;
  let expected = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 3 }), async (rounds) => {
      for (const { stakes, win, undone } of rounds) {
        const ref = randomUUID();
        const bets = stakes.map((amount, i) => ({ id: randomUUID(), amount, isUndone: undone.includes(i) }));
        for (const { id, amount } of bets)
          expect(await say(ref, { type: 'bet', id, amount: String(amount) })).toBe(true);
        // The first of these stakes is rolled back while the round is open, the others after the round has ended.
        const [first, ...later] = bets.filter(({ isUndone }) => isUndone);
        const undoes = [];
        if (first && (await takeBack(ref, first.id, first.amount))) undoes.push(first.amount);
        if (bets.some(({ isUndone }) => !isUndone))
          expect(await say(ref, { type: 'win', id: randomUUID(), amount: String(win) }, true)).toBe(true);
        for (const { id, amount } of later) if (await takeBack(ref, id, amount)) undoes.push(amount);
        rolledBack += undoes.length;
        expected += [...stakes, ...undoes.map((amount) => -amount)].reduce((sum, each) => sum + each, 0);
      }
      const { turnover, vip, referred, score } = await counted();
      const usd = String(expected);
      expect({ turnover, vip, referred, score }).toEqual({
        turnover: usd,
        vip: usd,
        referred: usd,
        score: usd,
      });
    }),
    { numRuns: 6, endOnFailure: true, seed: 32 },
  );
  expect(rolledBack).toBeGreaterThan(3);
});
