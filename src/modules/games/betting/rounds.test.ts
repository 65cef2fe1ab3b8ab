/** Rounds over HTTP, in addition to the tests of each game: idempotency keys, session limits, the state ERROR and the account statement. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { betOnDice, cashOf, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { nextDraw, whileSet } from '../../../../test/kit/games/house-rounds.ts';

const app = fixture(startApp);

const MINES = '/casino/games/house/mines';
const BET = { currencyId: 'USDT', betAmount: '10', gridCellsCount: 64, bombsCount: 1 };
const play = (player: Player, headers = {}, more = {}) =>
  player.call('POST', `${MINES}/play`, { body: { ...BET, ...more }, headers });
const open = (player: Player, cellIndex: number, headers = {}) =>
  player.call('POST', `${MINES}/open`, { body: { cellIndex }, headers });
const keyed = () => ({ 'idempotency-key': `key-${Math.random().toString(36).slice(2)}` });
/** Starts a round of 64 cells. Returns the cell with the bomb and the safe cells. */
async function begin(player: Player): Promise<{ bomb: number; safe: number[] }> {
  const { hidden, rest } = await nextDraw(app, player, { from: [0, 63], count: 1 });
  expect((await play(player)).status).toBe(201);
  return { bomb: hidden[0]!, safe: rest };
}
const betOf = async ({ id }: Player) => {
  const { rows } = await sql<{ status: string; reason: string | null }>`
    select status, error_reason as reason from bets where user_id = ${id} order by id desc limit 1`.execute(
    app.db,
  );
  return rows[0]!;
};

describe('an idempotency key', () => {
  test('returns the stored response after the game was disabled, but rejects new keys', async () => {
    const player = await app.newPlayer({ usdt: 1000 });
    const [bet, round, many] = [keyed(), keyed(), keyed()];
    const series = (headers: object) =>
      player.call('POST', '/casino/games/house/dice/series', {
        body: { currencyId: 'USDT', betAmount: '1', threshold: 50, above: true, count: 3 },
        headers: headers as Record<string, string>,
      });
    const made = [await betOnDice(player, {}, bet), await play(player, round), await series(many)];
    expect(made.map((a) => a.status)).toEqual([201, 201, 201]);
    const cash = await cashOf(player);
    await whileSet(app, 'dice', { enabled: false }, async () => {
      expect((await betOnDice(player, {}, bet)).text).toBe(made[0]!.text);
      expect((await series(many)).text).toBe(made[2]!.text);
      expect((await betOnDice(player, {}, keyed())).body.code).toBe('GAME_DISABLED');
    });
    await whileSet(app, 'mines', { enabled: false }, async () => {
      expect((await play(player, round)).text).toBe(made[1]!.text);
    });
    expect(await cashOf(player)).toBe(cash);
  });

  test('frees an idempotency key after a rejection unrelated to the request', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    const key = keyed();
    await whileSet(app, 'dice', { enabled: false }, async () => {
      expect((await betOnDice(player, {}, key)).body.code).toBe('GAME_DISABLED');
    });
    expect((await betOnDice(player, {}, key)).status).toBe(201);
  });

  test('frees an idempotency key after a malformed action', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    const { safe } = await begin(player);
    const key = keyed();
    expect((await open(player, 64, key)).body.code).toBe('VALIDATION_FAILED');
    expect((await open(player, safe[0]!, key)).status).toBe(201);
    expect((await open(player, safe[1]!, key)).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });
});

test('counts the time between the actions of a round towards a session limit', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  const body = { type: 'SESSION', period: 'DAY', amount: '15' };
  expect((await player.call('POST', '/user-limits/gambling-limits', { body })).status).toBe(201);
  const { bomb, safe } = await begin(player);
  for (const cell of safe.slice(0, 3)) {
    // Nine minutes have passed since the last action.
    await sql`update restrictions set play = jsonb_set(play::jsonb, '{lastAt}', to_jsonb(to_char(
        ((play ->> 'lastAt')::timestamptz - interval '9 minutes') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))::json
      where user_id = ${player.id}`.execute(app.db);
    expect((await open(player, cell)).status).toBe(201);
  }
  expect((await open(player, bomb)).body.finished.payout).toBe('0');
  expect((await play(player)).body.code).toBe('LIMIT_REACHED');
});

describe('a round whose bet has the state ERROR', () => {
  test('clears the state ERROR when the player continues the round, and then skips the round in a staff retry', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    const { safe } = await begin(player);
    await sql`update bets set status = 'ERROR', error_reason = 'x' where user_id = ${player.id}`.execute(
      app.db,
    );
    expect((await open(player, safe[0]!)).body.proceed).toBeDefined();
    expect(await betOf(player)).toEqual({ status: 'CREATED', reason: null });
    expect(await app.services.abandoned.retry()).toBe(0);
    expect((await open(player, safe[1]!)).body.proceed.openedCellsCount).toBe(2);
    expect((await player.call('POST', `${MINES}/cash-out`, { body: {} })).status).toBe(201);
  });

  test('retries a failed round together with 100 others', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 101; n++) {
      const player = await app.newPlayer({ usdt: 10 });
      expect((await play(player)).status).toBe(201);
      ids.push(player.id);
    }
    await sql`update bets set status = 'ERROR', error_reason = 'x' where user_id = any(${ids}::int4[])`.execute(
      app.db,
    );
    expect(await app.services.abandoned.retry()).toBe(101);
  });
});

test('lists a returned stake among the bets in the account statement', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  await begin(player);
  await sql`update rounds set acted_at = now() - interval '2 days' where user_id = ${player.id}`.execute(
    app.db,
  );
  await app.services.abandoned.sweep();
  const clerk = await app.as({ permissions: ['transaction.read'] });
  const find = async (where: object) => {
    const body = { sortBy: 'createdAt', sortOrder: 'desc', page: 1, take: 20, where };
    const answer = await clerk.call('POST', '/admin/accounting/transactions', { body });
    return answer.body.data.map((row: any) => row.type as string);
  };
  expect(await find({ userId: player.id, referenceType: 'bet' })).toEqual(['BET_ROLLBACK', 'BET']);
  const { rows } = await sql<{ id: bigint }>`select id from bets where user_id = ${player.id}`.execute(
    app.db,
  );
  const about = { referenceType: 'bet', referenceId: String(rows[0]!.id) };
  expect(await find(about)).toEqual(['BET_ROLLBACK', 'BET']);
});

test('returns the bets of a series that were placed, regardless of why the others failed', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  await sql`create function refuse_some() returns trigger language plpgsql as $$
    begin if new.nonce = 3 then raise exception 'not this one'; end if; return new; end $$`.execute(app.db);
  await sql`create trigger refuse_some before insert on bets for each row when (new.user_id = ${sql.lit(player.id)})
    execute function refuse_some()`.execute(app.db);
  const body = { currencyId: 'USDT', betAmount: '1', threshold: 50, above: true, count: 6 };
  const answer = await player.call('POST', '/casino/games/house/dice/series', { body });
  await sql`drop trigger refuse_some on bets`.execute(app.db);
  expect(answer.status).toBe(201);
  expect(answer.body.bets).toHaveLength(3);
  expect(answer.body.refused).toMatchObject({ code: 'INTERNAL_ERROR' });
  expect((await player.call('GET', '/bets')).body.total).toBe(3);
});
