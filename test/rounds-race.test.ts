/** Tests concurrent actions in one open round, sent to two processes. The books are reconciled after all tests of the file. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { type Answer, cashOf, type Player, startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';

const one = fixture(startApp);
const two = fixture(() => startApp({ database: one.database }));

const HOUSE = '/casino/games/house';
const WINDOWS = 64;
const BET = { currencyId: 'USDT', betAmount: '1' };
const STARTS = [
  ['mines', `${HOUSE}/mines/play`, { ...BET, gridCellsCount: 25, bombsCount: 3 }],
  ['monkey-run', `${HOUSE}/monkey-run/bet`, { ...BET, difficulty: 'EASY' }],
  // Neither the player nor the dealer has a natural, so the round stays open.
  ['blackjack', `${HOUSE}/blackjack/initDebug`, { ...BET, deck: [2, 16, 5, 19] }],
] as const;

/** Sends a request from one of a player's browser windows. The windows use the two processes alternately. */
const send = ({ token }: Player, i: number, path: string, body: object, method = 'POST'): Promise<Answer> =>
  (i % 2 === 0 ? one : two).call(method, path, { token, body });
const codes = (answers: readonly Answer[]) =>
  [...new Set(answers.map((a) => a.body.code ?? a.status))].sort();
const newest = async ({ id }: Player) => {
  const { rows } = await sql<{
    status: string;
    payout: bigint;
    payouts: number;
    rounds: number;
    stakes: number;
  }>`
    select status, payout,
      (select count(*)::int from ledger_lines l where l.user_id = ${id} and entry_id = b.id and kind = 'bet.payout') as payouts,
      (select count(*)::int from ledger_lines l where l.user_id = ${id} and entry_id = b.id and kind = 'bet.stake') as stakes,
      (select count(*)::int from rounds where user_id = ${id}) as rounds
    from bets b where user_id = ${id} order by id desc limit 1`.execute(one.db);
  return rows[0]!;
};

describe.each(STARTS)('concurrent starts of %s', (_, path, body) => {
  test('opens only one round for one stake when 64 starts arrive concurrently', async () => {
    const player = await one.newPlayer({ usdt: 100 });
    const answers = await Promise.all(Array.from({ length: WINDOWS }, (_, i) => send(player, i, path, body)));
    expect(codes(answers)).toEqual([201, 'ROUND_OPEN']);
    expect(answers.filter((a) => a.status === 201)).toHaveLength(1);
    expect(await cashOf(player)).toBe('99');
    expect(await newest(player)).toMatchObject({ status: 'CREATED', stakes: 1, rounds: 1 });
  });

  test('returns one round and the same response for 64 requests with the same key', async () => {
    const player = await one.newPlayer({ usdt: 100 });
    const headers = { 'idempotency-key': 'the-same-start' };
    const answers = await Promise.all(
      Array.from({ length: WINDOWS }, (_, i) =>
        (i % 2 === 0 ? one : two).call('POST', path, { token: player.token, body, headers }),
      ),
    );
    expect(new Set(answers.map((a) => `${a.status} ${a.text}`)).size).toBe(1);
    expect(answers[0]!.status).toBe(201);
    expect(await cashOf(player)).toBe('99');
  });
});

describe('concurrent actions', () => {
  const REPEATS = 6;
  const start = async (index: number) => {
    const player = await one.newPlayer({ usdt: 100 });
    const [, path, body] = STARTS[index]!;
    expect((await send(player, 0, path, body)).status).toBe(201);
    return player;
  };
  /** Expects that the end of the round was reported at most once, and that the bet and the balance match the report. */
  async function expectOneEnd(player: Player, ends: readonly string[], staked = 1): Promise<void> {
    const bet = await newest(player);
    expect(ends.length).toBeLessThanOrEqual(1);
    expect(bet.rounds).toBe(1 - ends.length);
    expect(bet.status).toBe(ends.length === 1 ? 'SETTLED' : 'CREATED');
    expect(bet.payouts).toBe(bet.payout > 0n ? 1 : 0);
    expect(Number(bet.payout) / 1e8).toBe(Number(ends[0] ?? '0'));
    expect(Number(await cashOf(player))).toBeCloseTo(100 - staked + Number(ends[0] ?? '0'), 6);
  }

  test('opens each mines cell once and ends the round once', async () => {
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      const player = await start(0);
      const opens = Array.from({ length: WINDOWS }, (_, i) => ({ cellIndex: (i * 7 + repeat) % 25 }));
      const sent = opens.map((body, i) => send(player, i, `${HOUSE}/mines/open`, body));
      for (let i = 0; i < 8; i++) sent.splice(5 + i * 6, 0, send(player, i, `${HOUSE}/mines/cash-out`, {}));
      const answers = await Promise.all(sent);
      expect([201, 'ACTION_NOT_ALLOWED', 'ROUND_NOT_FOUND', 'VALIDATION_FAILED']).toEqual(
        expect.arrayContaining(codes(answers)),
      );
      const done = answers.filter((a) => a.status === 201).map((a) => a.body);
      const opened = done.flatMap((b) => (b.proceed ? [b.proceed.openedCellsCount as number] : []));
      // Each action must include the cells that earlier actions opened.
      expect([...opened].sort((a, b) => a - b)).toEqual(opened.map((_, i) => i + 1));
      const ends = done.flatMap((b) => b.finished?.payout ?? b.payout ?? []);
      await expectOneEnd(player, ends);
    }
  });

  test('performs each monkey-run step once and ends the round once', async () => {
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      const player = await start(1);
      const sent = Array.from({ length: WINDOWS }, (_, i) =>
        send(player, i, `${HOUSE}/monkey-run/play`, { makeStep: 1 + ((i + repeat) % 19) }),
      );
      for (let i = 0; i < 8; i++)
        sent.splice(5 + i * 6, 0, send(player, i, `${HOUSE}/monkey-run/cash-out`, {}, 'PUT'));
      const answers = await Promise.all(sent);
      expect([200, 201, 'ACTION_NOT_ALLOWED', 'ROUND_NOT_FOUND', 'VALIDATION_FAILED']).toEqual(
        expect.arrayContaining(codes(answers)),
      );
      const states = answers.filter((a) => a.status < 300).map((a) => a.body);
      const steps = states.filter((s) => !s.isFinished).map((s) => s.step as number);
      expect(new Set(steps).size).toBe(steps.length);
      await expectOneEnd(
        player,
        states.flatMap((s) => (s.isFinished ? s.cashOut : [])),
      );
    }
  });

  test('deals each blackjack card once and ends the round once', async () => {
    for (const action of ['HIT', 'STAND', 'DOUBLE', 'HIT', 'DOUBLE', 'SPLIT']) {
      const player = await one.newPlayer({ usdt: 100 });
      const pair = action === 'SPLIT';
      const deck = pair ? [8, 21, 5, 19] : [4, 20, 5, 19];
      const [, path] = STARTS[2];
      expect((await send(player, 0, path, { ...BET, deck })).status).toBe(201);
      const sent = Array.from({ length: WINDOWS }, (_, i) =>
        send(player, i, `${HOUSE}/blackjack/handleAction`, { action: i % 3 === 2 ? 'STAND' : action }),
      );
      const answers = await Promise.all(sent);
      expect([201, 'ACTION_NOT_ALLOWED', 'ROUND_NOT_FOUND']).toEqual(expect.arrayContaining(codes(answers)));
      const states = answers.filter((a) => a.status === 201).map((a) => a.body.data);
      const ended = states.filter((s) => s.status === 'FINISHED');
      const staked = Math.max(
        ...states.map((s) => s.hands.reduce((sum: number, h: any) => sum + Number(h.betAmount), 0)),
      );
      await expectOneEnd(
        player,
        ended.map((s) => s.payout),
        staked,
      );
      const dealt = (ended[0]?.hands ?? []).flatMap((h: any) => h.cards as number[]);
      expect(new Set(dealt).size).toBe(dealt.length);
    }
  });
});

test("keeps a player's balance equal to the responses when they play every game concurrently", async () => {
  const player = await one.newPlayer({ usdt: 1000 });
  const dice = { ...BET, threshold: 50, above: true };
  const spin = { ...BET, gridCellsCount: 9, bombsCount: 3, cellIndices: [0, 1] };
  let won = 0;
  let staked = 0;
  const count = ({ status, body }: Answer) => {
    if (status >= 300) return;
    staked += 1;
    won += Number(body.payout);
  };
  const rounds = async (i: number): Promise<void> => {
    const begun = await send(player, i, `${HOUSE}/mines/play`, { ...BET, gridCellsCount: 9, bombsCount: 1 });
    if (begun.status === 201) staked += 1;
    const opened = await send(player, i + 1, `${HOUSE}/mines/open`, { cellIndex: i % 9 });
    if (opened.body.finished) won += Number(opened.body.finished.payout);
    const out = await send(player, i, `${HOUSE}/mines/cash-out`, {});
    if (out.status === 201) won += Number(out.body.payout);
  };
  await Promise.all(
    Array.from({ length: 40 }, async (_, i) => {
      count(await send(player, i, `${HOUSE}/dice/bet`, dice));
      await rounds(i);
      count(await send(player, i, `${HOUSE}/mines/auto-spin`, spin));
      await send(player, i, '/accounting/to-vault', { currencyId: 'USDT', amount: '1' });
      await send(player, i, '/accounting/from-vault', { currencyId: 'USDT', amount: '1' });
    }),
  );
  await send(player, 0, `${HOUSE}/mines/open`, { cellIndex: 0 }).then(({ body }) => {
    if (body.finished) won += Number(body.finished.payout);
  });
  await send(player, 1, `${HOUSE}/mines/cash-out`, {}).then(({ status, body }) => {
    if (status === 201) won += Number(body.payout);
  });
  expect(Number(await cashOf(player))).toBeCloseTo(1000 - staked + won, 6);
});
