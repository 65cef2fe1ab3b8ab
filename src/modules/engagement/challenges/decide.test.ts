/** Tests how the winning bet is selected, and how the reward is reversed when the bet no longer counts. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { cashOf, type Player } from '../../../../test/kit/app.ts';
import { startChallenges } from '../../../../test/kit/engagement/challenges.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import {
  correctBet,
  lock,
  placeBet,
  reserve,
  reverseBet,
  type TestBet,
  write,
} from '../../../../test/kit/games/bets.ts';
import { until } from '../../../../test/kit/until.ts';
import { startWorker } from '../../../app/worker.ts';
import { transaction } from '../../../platform/database/db.ts';
import { runDecision } from './decide.ts';

// Reconciliation is off, because most of these bets move no money.
const world = fixture(() => startChallenges({ reconcileOnStop: false }));

const WINS = { gameId: 1, amount: 100_00000000n, payout: 200_00000000n, usd: 1n };
const bet = (by: Player, fields: Partial<TestBet> = {}) =>
  placeBet(world.app, { userId: by.id, ...WINS, ...fields });
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);
const TERMS = { minBetAmountUsd: '100', minBetMultiplier: 2 };
const winnerOf = async (id: string) => (await world.read(id)).betId;
const alerts = async (id: string) => (await world.events('admin.alert')).filter((alert) => alert.id === id);

describe('the winner', () => {
  test('selects the bet that settled first, and among bets that settled together the one placed first', async () => {
    const [a, b] = [await world.player(), await world.player()];
    const { id } = await world.create(TERMS);
    const at = ago(60);
    await bet(a, { settledAt: ago(30) });
    const first = await bet(b, { settledAt: at });
    await bet(a, { settledAt: at });
    await world.consume();
    await world.decide(id);
    expect(await winnerOf(id)).toBe(String(first));
    // Later bets do not change the winner.
    await bet(a, { settledAt: ago(90) });
    await world.consume();
    await world.decide(id);
    expect(await winnerOf(id)).toBe(String(first));
  });

  test('selects the winner in a task that runs three seconds after the bet settled', async () => {
    const by = await world.player();
    const { id } = await world.create(TERMS);
    await sql`delete from graphile_worker._private_jobs`.execute(world.app.db);
    const wins = await bet(by);
    await world.consume();
    const due = async () => {
      const { rows } = await sql<{ ms: number }>`
        select extract(epoch from j.run_at - b.settled_at)::float8 * 1000 as ms from graphile_worker._private_jobs j, bets b
        where j.key = ${`challenge-decision:${id}`} and b.id = ${wins}`.execute(world.app.db);
      return rows.map(({ ms }) => Math.round(ms));
    };
    expect(await due()).toEqual([3000]);
    // A later bet does not delay the decision.
    await bet(by);
    await world.consume();
    expect(await due()).toEqual([3000]);
    expect(await world.runQueue()).toBeGreaterThan(0);
    expect(await winnerOf(id)).toBe(null);
    expect(await due()).toEqual([3000]);
    await world.letSettle(id);
    expect(await world.runQueue()).toBeGreaterThan(0);
    expect(await winnerOf(id)).toBe(String(wins));
    expect(await due()).toEqual([]);
  });

  test('selects the bet that settled first even if it commits late', async () => {
    const [slow, fast] = [await world.player(), await world.player()];
    const { id } = await world.create(TERMS);
    let commit = () => {};
    const held = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let late = 0n;
    let isWritten = false;
    const writing = transaction(world.app.db, async (tx) => {
      await lock(tx, slow.id);
      await reserve(tx);
      late = await write(tx, { userId: slow.id, ...WINS, settledAt: ago(20) });
      isWritten = true;
      await held;
    });
    await until(() => isWritten);
    await bet(fast, { settledAt: ago(10) });
    await world.app.services.challenges.catchUp();
    await world.decide(id);
    expect(await winnerOf(id)).toBe(null);
    commit();
    await writing;
    await world.consume();
    await world.decide(id);
    expect(await winnerOf(id)).toBe(String(late));
  });

  test('selects no winner while the consumer lags behind', async () => {
    const by = await world.player();
    const { id } = await world.create(TERMS);
    await bet(by, { settledAt: ago(10) });
    await world.consume();
    const before = await bet(by, { settledAt: ago(20) });
    await sql`delete from graphile_worker._private_jobs`.execute(world.app.db);
    await world.decide(id);
    expect(await winnerOf(id)).toBe(null);
    // Another attempt at the decision has been queued in the meantime.
    await world.consume();
    expect(await world.runQueue()).toBeGreaterThan(0);
    expect(await winnerOf(id)).toBe(String(before));
  });

  test.each<[string, string]>([
    ['staff', 'update users set is_staff = true where id ='],
    ['a test user', 'update users set is_test = true where id ='],
    ['banned', 'update users set banned_at = now() where id ='],
    ['banned from play', 'update players set is_banned = true where user_id ='],
    [
      'excluded',
      `insert into restrictions (user_id, excluded_until, limits) select id, now() + interval '1 day', '{}' from users where id =`,
    ],
  ])('never selects a player who is %s', async (_, statement) => {
    const [out, by] = [await world.player(), await world.player()];
    const { id } = await world.create(TERMS);
    await bet(out, { settledAt: ago(20) });
    const wins = await bet(by, { settledAt: ago(10) });
    await sql.raw(`${statement} ${out.id}`).execute(world.app.db);
    await world.consume();
    await world.decide(id);
    expect(await winnerOf(id)).toBe(String(wins));
    expect((await world.bets(id)).map(({ betId }) => betId)).toEqual([String(wins)]);
  });

  test('skips a stored bet that was placed during an award, and still lets other bets win', async () => {
    const by = await world.player();
    const { id } = await world.create(TERMS);
    const paid = await bet(by, { settledAt: ago(40) });
    const between = await bet(by, { settledAt: ago(30) });
    await world.consume();
    expect((await world.award(id, String(paid))).status).toBe(201);
    // An earlier version dated an award by the start of its transaction, so it could store the bet before the award was committed.
    await sql`update challenge_awards set created_at = (select created_at from bets where id = ${between}) where challenge_id = ${id}`.execute(
      world.app.db,
    );
    expect((await world.rollBack(id)).status).toBe(201);
    const next = await bet(by, { settledAt: ago(10) });
    await world.consume();
    await world.decide(id);
    expect(await winnerOf(id)).toBe(String(next));
    expect((await world.award(id, String(between))).body.details).toEqual({ rule: 'TIME' });
  });

  test('selects no winner when no bet can win, and fails a task without a challenge id permanently', async () => {
    const { id } = await world.create(TERMS);
    await world.decide(id);
    expect(await winnerOf(id)).toBe(null);
    await world.decide('01a20bc1-4f61-7371-9317-79760da40e40');
    await expect(runDecision(world.app.services, {})).rejects.toThrow('no challenge id');
  });

  test('selects the winner in a running worker', { timeout: 240_000 }, async () => {
    const by = await world.player();
    const { id } = await world.create({ minBetMultiplier: 1 });
    const worker = startWorker(world.app.services, world.app.database.url);
    try {
      const betId = await world.win(by);
      await until(async () => (await winnerOf(id)) === betId, 40_000);
    } finally {
      await worker.close();
    }
  });
});

describe('when the selected bet no longer counts', () => {
  test('selects the next bet when the selected one is rolled back', async () => {
    const [a, b] = [await world.player(), await world.player()];
    const { id } = await world.create(TERMS);
    const first = await bet(a, { settledAt: ago(20) });
    const second = await bet(b, { settledAt: ago(10) });
    await world.consume();
    await world.decide(id);
    await reverseBet(world.app, { id: first, userId: a.id });
    expect((await world.award(id, String(first))).body.details).toEqual({ rule: 'SETTLED' });
    await world.consume();
    await world.runQueue();
    expect(await winnerOf(id)).toBe(String(second));
    await reverseBet(world.app, { id: second, userId: b.id });
    await world.consume();
    await world.runQueue();
    expect(await world.read(id)).toMatchObject({ betId: null, winner: null, winnerSelectedAt: null });
    expect(await alerts(id)).toEqual([]);
  });

  test('keeps the winner if the corrected bet still reaches the multiplier, and removes the winner otherwise', async () => {
    const by = await world.player();
    const { id } = await world.create(TERMS);
    const wins = await bet(by, { settledAt: ago(20) });
    await world.consume();
    await world.decide(id);
    await correctBet(world.app, { id: wins, userId: by.id }, { payout: 250_00000000n });
    await world.consume();
    expect(await world.runQueue()).toBeGreaterThan(0);
    expect(await winnerOf(id)).toBe(String(wins));
    await correctBet(world.app, { id: wins, userId: by.id }, { payout: 199_00000000n });
    await world.consume();
    await world.runQueue();
    expect(await winnerOf(id)).toBe(null);
    expect((await world.award(id, String(wins))).body.details).toEqual({ rule: 'MULTIPLIER' });
  });
});

describe('when a challenge is hidden or published while it has a winner', () => {
  const won = async () => {
    const [a, b] = [await world.player(), await world.player()];
    const { id } = await world.create(TERMS);
    const wins = await bet(a, { settledAt: ago(30) });
    await world.consume();
    const setHidden = async (isHidden: boolean) =>
      expect((await world.change(id, { isHidden })).status).toBe(200);
    const loseWinner = async () => {
      await reverseBet(world.app, { id: wins, userId: a.id });
      await world.consume();
      await world.runQueue();
    };
    return { id, b, setHidden, loseWinner };
  };

  test('keeps the bets that are placed while it is hidden', async () => {
    const { id, b, setHidden, loseWinner } = await won();
    await world.decide(id);
    await setHidden(true);
    const next = await bet(b, { settledAt: ago(10) });
    await world.consume();
    await setHidden(false);
    await loseWinner();
    expect(await winnerOf(id)).toBe(String(next));
    expect(await world.findings()).toEqual([]);
  });

  test('collects no further bets once it has lost its winner while hidden', async () => {
    const { id, b, setHidden, loseWinner } = await won();
    await world.decide(id);
    await setHidden(true);
    await loseWinner();
    await bet(b, { settledAt: ago(10) });
    await world.consume();
    await world.decide(id);
    expect(await winnerOf(id)).toBe(null);
    expect(await world.findings()).toEqual([]);
  });

  test('collects only later bets if it was hidden before it had a winner and published afterwards', async () => {
    const { id, b, setHidden, loseWinner } = await won();
    await setHidden(true);
    await world.decide(id);
    await setHidden(false);
    await bet(b, { settledAt: ago(20) });
    await world.consume();
    await loseWinner();
    expect(await winnerOf(id)).toBe(null);
    const later = await bet(b, { settledAt: ago(10) });
    await world.consume();
    await world.decide(id);
    expect(await winnerOf(id)).toBe(String(later));
    expect(await world.findings()).toEqual([]);
  });
});

describe('when the paid bet no longer counts', () => {
  const paid = async () => {
    const by = await world.player();
    const { id } = await world.create(TERMS);
    const wins = await bet(by, { settledAt: ago(20) });
    const before = await cashOf(by);
    expect((await world.award(id, String(wins))).status).toBe(201);
    return { id, by, wins, before };
  };

  test('reverses the reward once when its bet no longer counts, alerts staff and reopens the challenge', async () => {
    const { id, by, wins, before } = await paid();
    await reverseBet(world.app, { id: wins, userId: by.id });
    await world.consume();
    await world.runQueue();
    expect(await cashOf(by)).toBe(before);
    expect(await world.read(id)).toMatchObject({ betId: null, winner: null, winnerConfirmedBy: null });
    expect(await alerts(id)).toEqual([{ kind: 'CHALLENGE_REVERSED', id }]);
    expect((await by.call('GET', '/notifications')).body[0].payload).toMatchObject({
      code: 'challenge.rolled-back',
      amount: '50',
    });
    // If the decision is repeated, nothing changes.
    await world.decide(id);
    expect(await cashOf(by)).toBe(before);
    expect(await alerts(id)).toHaveLength(1);
    expect(await world.findings()).toEqual([]);
  });

  test("takes at most the winner's balance and creates no debt", async () => {
    const { id, by, wins } = await paid();
    const cash = Number(await cashOf(by));
    await by.call('POST', '/accounting/to-vault', {
      body: { currencyId: 'USDT', amount: String(cash - 20) },
    });
    await reverseBet(world.app, { id: wins, userId: by.id });
    await world.consume();
    await world.runQueue();
    expect(await cashOf(by)).toBe('0');
    const { rows } = await sql<{ taken: bigint }>`
      select taken from challenge_awards where challenge_id = ${id}`.execute(world.app.db);
    expect(rows).toEqual([{ taken: 20_00000000n }]);
    expect((await sql`select 1 from claims where user_id = ${by.id}`.execute(world.app.db)).rows).toEqual([]);
    expect(await world.findings()).toEqual([]);
  });

  test('does not let the same bet win again after another correction', async () => {
    const { id, by, wins } = await paid();
    await correctBet(world.app, { id: wins, userId: by.id }, null);
    await world.consume();
    await world.runQueue();
    await correctBet(world.app, { id: wins, userId: by.id }, { payout: 300_00000000n });
    await world.consume();
    await world.letSettle(id);
    await world.decide(id);
    expect(await winnerOf(id)).toBe(null);
    expect((await world.award(id, String(wins))).body.details).toEqual({ rule: 'BARRED' });
  });
});
