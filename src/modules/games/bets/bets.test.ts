import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { betOnDice, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { SHOWN_DICE } from '../../../../test/kit/games/bets.ts';
import { formatUnits, units } from '../../../platform/money.ts';

/** The API's responses to the player's bets, in the order in which the bets were placed. Stakes are in dollars. */
let made: any[];
let foreignId: string;

const STAKES = ['2', '0.5', '10', '0.5', '3', '1.25', '0.01'];

const app = fixture(() => startApp({ reconcileOnStop: false }));
const player = fixture(() => app.newPlayer({ usdt: 1000 }));
const other = fixture(() => app.newPlayer({ usdt: 1000 }));
beforeAll(async () => {
  made = [];
  for (const betAmount of STAKES) {
    made.push((await betOnDice(player, { betAmount })).body);
    foreignId = (await betOnDice(other, { betAmount: '7' })).body.betId;
  }
});

const list = async (query = '', who = player) => (await who.call('GET', `/bets${query}`)).body;
const idsOf = ({ data }: { data: { id: string }[] }) => data.map((row) => row.id);
const madeIds = () => made.map((bet) => bet.betId as string);

/** Inserts a bet with a status that only rounds and rollbacks can produce. */
async function insertBet(id: number, status: string, game = 'dice'): Promise<void> {
  await sql`insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, user_id, game_id, status, currency_id, settled_at)
    select ${id}, 300, 100, 300, 100, 1, ${player.id}, g.id, ${status}, 'USDT', ${status === 'CREATED' ? null : new Date()}
    from games g where slug = ${game}`.execute(app.db);
}

describe('GET /bets', () => {
  test('lists the newest bet first with its amounts, game and times', async () => {
    const page = await list();
    expect(page).toMatchObject({ take: 20, page: 1, total: STAKES.length, totalPages: 1 });
    expect(idsOf(page)).toEqual(madeIds().toReversed());
    const last = made.at(-1);
    const { rows } = await sql<{
      at: Date;
    }>`select created_at as at from bets where id = ${last.betId}`.execute(app.db);
    const at = rows[0]!.at.toISOString();
    expect(page.data[0]).toEqual({
      id: last.betId,
      bonus: null,
      status: 'SETTLED',
      currencyId: 'USDT',
      amount: '0.01',
      payout: last.payout,
      usdAmount: '0.01',
      usdPayout: last.payout,
      multiplier: last.didWin ? 1.98 : 0,
      game: SHOWN_DICE,
      createdAt: at,
      updatedAt: at,
      settledAt: at,
    });
  });

  test('sorts by time or dollar amount in both directions, and sorts equal amounts by time', async () => {
    const byAmount = made
      .toSorted(
        (a, b) =>
          Number(units(a.betAmount) - units(b.betAmount)) || Number(BigInt(a.betId) - BigInt(b.betId)),
      )
      .map((bet) => bet.betId);
    expect(idsOf(await list('?sortBy=CREATED_AT&sortOrder=asc'))).toEqual(madeIds());
    expect(idsOf(await list('?sortOrder=desc'))).toEqual(madeIds().toReversed());
    expect(idsOf(await list('?sortBy=USD_AMOUNT&sortOrder=asc'))).toEqual(byAmount);
    expect(idsOf(await list('?sortBy=USD_AMOUNT'))).toEqual(byAmount.toReversed());
  });

  test.each(['', '&sortBy=USD_AMOUNT', '&sortBy=USD_AMOUNT&sortOrder=asc', '&sortOrder=asc'])(
    'returns every bet exactly once across pages%s of every size',
    async (order) => {
      const whole = idsOf(await list(`?take=20${order}`));
      for (const take of [1, 2, 3, 7]) {
        const pages = Math.ceil(STAKES.length / take);
        const ids = [];
        for (let page = 1; page <= pages; page++) {
          const answer = await list(`?take=${take}&page=${page}${order}`);
          expect(answer).toMatchObject({ take, page, total: STAKES.length, totalPages: pages });
          ids.push(...idsOf(answer));
        }
        expect(ids).toEqual(whole);
      }
    },
  );

  test('returns an empty page with the totals when the page is beyond the end', async () => {
    const beyond = { data: [], take: 2, total: STAKES.length, totalPages: 4, totalIsExact: true };
    for (const page of [5, 1000, Number.MAX_SAFE_INTEGER])
      expect(await list(`?take=2&page=${page}`)).toEqual({ ...beyond, page });
    const newcomer = await app.newPlayer();
    expect(await list('', newcomer)).toEqual({
      data: [],
      take: 20,
      page: 1,
      total: 0,
      totalPages: 0,
      totalIsExact: true,
    });
  });

  test("filters bets by state, and hides other players' bets in every state", async () => {
    const states = ['CREATED', 'ERROR', 'ROLLBACK'];
    for (const [i, status] of states.entries()) await insertBet(100 + i, status);
    for (const [i, status] of states.entries()) {
      const page = await list(`?status=${status}`);
      expect(page).toMatchObject({ total: 1, data: [{ id: String(100 + i), status, multiplier: 0.3333 }] });
      expect((page.data[0].settledAt === null) === (status === 'CREATED')).toBe(true);
      expect((await list(`?status=${status}`, other)).total).toBe(0);
    }
    expect(idsOf(await list('?status=SETTLED'))).toEqual(madeIds().toReversed());
    expect(await list('', other)).toMatchObject({ total: STAKES.length });
    expect(idsOf(await list('', other)).filter((id) => madeIds().includes(id))).toEqual([]);
  });

  test.each([
    'sortBy=id',
    'sortOrder=DESC',
    'status=settled',
    'take=21',
    'take=0',
    'page=0',
    'page=1.5',
    'userId=1',
    'take=1&take=2',
  ])('rejects the query ?%s', async (query) => {
    expect(await list(`?${query}`)).toMatchObject({ statusCode: 400, code: 'VALIDATION_FAILED' });
  });
});

describe('GET /bets/house-games/info/{betId}', () => {
  const info = (id: string, who = player) => who.call('GET', `/bets/house-games/info/${id}`);

  test("returns one of the player's bets with its inputs and outcome", async () => {
    for (const bet of made) {
      const { status, body } = await info(bet.betId);
      const payout = bet.didWin ? units(bet.payout) : 0n;
      expect([status, body]).toEqual([
        200,
        {
          currencyId: 'USDT',
          amount: bet.betAmount,
          payout: formatUnits(payout),
          betId: bet.betId,
          settledAt: bet.createdAt,
          windowId: null,
          game: {
            ...SHOWN_DICE,
            multiplier: Number((payout * 10_000n) / units(bet.betAmount)) / 10_000,
            inputs: { threshold: 50, above: true },
            outcome: {
              randomValue: bet.randomValue,
              didWin: bet.didWin,
              ...(bet.didWin ? { multiplier: 1.98 } : { multiplier: 0, offeredMultiplier: 1.98 }),
            },
          },
          user: { id: player.id, username: player.username, avatar: null, vipLevel: 0, isPrivate: false },
        },
      ]);
    }
  });

  test("returns the same 404 for other players' bets, open rounds, other games, and missing or malformed ids", async () => {
    await insertBet(200, 'CREATED');
    await sql`insert into games (slug, name, type) values ('a-slot', 'Slot', 'SLOTS')`.execute(app.db);
    await insertBet(201, 'SETTLED', 'a-slot');
    const missing = await info('9223372036854775807');
    expect([missing.status, missing.body.code]).toEqual([404, 'BET_NOT_FOUND']);
    const said = ({ status, body }: typeof missing) => ({ status, ...body, requestId: '' });
    const [next, long] = [String(BigInt(foreignId) + 1n), '1'.repeat(64)];
    const malformed = [
      `0${made[0].betId}`,
      '0',
      '-1',
      '01',
      '1e3',
      '0x10',
      '1.0',
      'abc',
      '%20',
      '%27',
      long,
      '9223372036854775808',
      'null',
    ];
    for (const id of [foreignId, next, '200', '201', ...malformed])
      expect(said(await info(id))).toEqual(said(missing));
    expect(said(await info(made[0].betId, other))).toEqual(said(missing));
    for (const id of ['1'.repeat(65), '%00', '%2e%2e', '']) expect((await info(id)).status).toBe(404);
    expect((await app.call('GET', `/bets/house-games/info/${foreignId}`)).status).toBe(401);
  });
});
