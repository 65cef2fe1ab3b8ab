import { beforeAll, describe, expect, test } from 'vitest';
import { type Answer, betOnDice, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { type BetRow, insertBets } from '../../../../test/kit/games/bet-rows.ts';
import { ONE } from '../../../platform/money.ts';
import { shownMultiplier } from './rules.ts';

let players: Player[];
let rows: BetRow[];
let limboId: number;
let providerId: number;
let slotId: number;
const began = Date.parse('2026-03-01T10:00:00.000Z');
const at = (minutes: number) => new Date(began + minutes * 60_000);

const app = fixture(() => startApp({ reconcileOnStop: false }));
const backoffice = fixture(() =>
  startApp({ part: 'backoffice', database: app.database, reconcileOnStop: false }),
);
const clerk = fixture(() => app.as({ permissions: ['bet.read'] }));
const seer = fixture(() => app.as({ permissions: ['bet.read', 'user.pii'] }));
const boss = fixture(() => app.as('superadmin'));
beforeAll(async () => {
  players = [];
  for (let i = 0; i < 3; i++) players.push(await app.newPlayer({ usdt: 100 }));
  const games = await app.db.selectFrom('games').select(['id', 'slug']).execute();
  limboId = games.find((game) => game.slug === 'limbo')!.id;
  const mine = { slug: 'mine', name: 'Mine', origin_name: 'Mine' };
  const inserted = app.db.insertInto('game_providers').values(mine).returning('id');
  providerId = (await inserted.executeTakeFirstOrThrow()).id;
  const slot = {
    slug: 'gold',
    name: 'Gold',
    type: 'SLOTS',
    provider_id: providerId,
    categories: ['SLOTS', 'CRASH'],
  };
  slotId = (await app.db.insertInto('games').values(slot).returning('id').executeTakeFirstOrThrow()).id;
  const statuses = ['SETTLED', 'SETTLED', 'CREATED', 'SETTLED', 'ERROR', 'ROLLBACK', 'SETTLED'];
  rows = await insertBets(
    app,
    Array.from({ length: 42 }, (_, i) => {
      const status = statuses[i % 7]!;
      const amount = ONE * BigInt(1 + (i % 5));
      return {
        id: BigInt(500 + i * 3),
        userId: players[i % 3]!.id,
        at: at(i),
        status,
        amount,
        usdAmount: amount + BigInt(i % 2),
        payout: status === 'SETTLED' ? (amount * BigInt(i % 4) * 8_2000n) / 10_0000n : 0n,
        gameId: [1, limboId, slotId][i % 11 === 0 ? 2 : i % 2]!,
        currencyId: i % 6 === 0 ? 'BTC' : 'USDT',
        roundId: i % 8 === 0 ? BigInt(9000 + (i % 16)) : null,
        errorReason: status === 'ERROR' ? 'no answer from the provider' : null,
      };
    }),
  );
});

const find = (body: object, who = clerk) => who.call('POST', '/admin/bets', { body });
const idsOf = (list: readonly { id: unknown }[]) => list.map((row) => String(row.id));
const codeOf = ({ status, body }: Answer) => `${status} ${body?.code ?? ''}`.trim();

/** Returns all pages of a list with a given page size and order, concatenated. */
async function pages(body: object, take: number): Promise<{ ids: string[]; totals: number[] }> {
  const [ids, totals]: [string[], number[]] = [[], []];
  for (let page = 1; ; page++) {
    const answer = await find({ ...body, page, take });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    ids.push(...idsOf(answer.body.data));
    totals.push(answer.body.total);
    if (answer.body.data.length < take) return { ids, totals };
  }
}

const isHouse = (row: BetRow) => row.gameId !== slotId;
const multiplier = (row: BetRow) => shownMultiplier(row.payout, row.amount);
type Case = [name: string, where: () => object, matches: (row: BetRow) => boolean];
const CASES: Case[] = [
  ['nothing', () => ({}), () => true],
  ['id', () => ({ id: '503' }), (row) => row.id === 503n],
  ['id of nothing', () => ({ id: '502' }), () => false],
  ['no id', () => ({ id: '0503' }), () => false],
  ['id beyond all', () => ({ id: '9223372036854775808' }), () => false],
  ['userId', () => ({ userId: players[1]!.id }), (row) => row.userId === players[1]!.id],
  ['userId of nobody', () => ({ userId: 2_000_000_000 }), () => false],
  [
    'username',
    () => ({ username: players[2]!.username.toUpperCase() }),
    (row) => row.userId === players[2]!.id,
  ],
  ['username of nobody', () => ({ username: 'nobody_at_all' }), () => false],
  [
    'username and another userId',
    () => ({ username: players[2]!.username, userId: players[0]!.id }),
    () => false,
  ],
  ...['CREATED', 'SETTLED', 'ERROR', 'ROLLBACK'].map(
    (status): Case => [status, () => ({ status }), (row) => row.status === status],
  ),
  [
    'status of a user',
    () => ({ status: 'ERROR', userId: players[1]!.id }),
    (row) => row.status === 'ERROR' && row.userId === players[1]!.id,
  ],
  ['gameType', () => ({ gameType: 'HOUSE_GAME' }), isHouse],
  ['gameType of slots', () => ({ gameType: 'SLOTS' }), (row) => !isHouse(row)],
  ['gameType without a game', () => ({ gameType: 'EVO_GAME' }), () => false],
  ['category of house games', () => ({ category: 'HOUSE_GAME' }), isHouse],
  ['a category of slots', () => ({ category: 'SLOTS' }), (row) => !isHouse(row)],
  ['a category beside the main one', () => ({ category: 'CRASH' }), (row) => !isHouse(row)],
  ['another category', () => ({ category: 'LIVE' }), () => false],
  ['category against type', () => ({ category: 'HOUSE_GAME', gameType: 'SLOTS' }), () => false],
  ['gameSlug', () => ({ gameSlug: 'limbo' }), (row) => row.gameId === limboId],
  ['gameSlug of nothing', () => ({ gameSlug: 'LIMBO' }), () => false],
  ['gameSlug of another type', () => ({ gameSlug: 'limbo', gameType: 'SLOTS' }), () => false],
  ['providerId', () => ({ providerId }), (row) => !isHouse(row)],
  ['providerId of nobody', () => ({ providerId: 999_999 }), () => false],
  ['providerId against type', () => ({ providerId, gameType: 'HOUSE_GAME' }), () => false],
  ['externalId', () => ({ externalId: 'x' }), () => false],
  ['currencyId', () => ({ currencyId: 'BTC' }), (row) => row.currencyId === 'BTC'],
  ['roundId', () => ({ roundId: '9008' }), (row) => row.roundId === 9008n],
  [
    'roundId and status',
    () => ({ roundId: '9000', status: 'SETTLED' }),
    (row) => row.roundId === 9000n && row.status === 'SETTLED',
  ],
  ['roundId of nothing', () => ({ roundId: 'abc' }), () => false],
  ['minUsdAmount', () => ({ minUsdAmount: '3.00000001' }), (row) => row.usdAmount >= 3n * ONE + 1n],
  ['maxUsdAmount', () => ({ maxUsdAmount: '3' }), (row) => row.usdAmount <= 3n * ONE],
  ['both amounts', () => ({ minUsdAmount: '2', maxUsdAmount: '2' }), (row) => row.usdAmount === 2n * ONE],
  ['minMultiplier', () => ({ minMultiplier: 0.82 }), (row) => multiplier(row) >= 0.82],
  ['minMultiplier between', () => ({ minMultiplier: 0.82001 }), (row) => multiplier(row) > 0.82],
  ['minMultiplier 0', () => ({ minMultiplier: 0 }), () => true],
  ['startDate', () => ({ startDate: at(30) }), (row) => row.at >= at(30)],
  ['endDate', () => ({ endDate: at(10) }), (row) => row.at <= at(10)],
  [
    'a range and a user',
    () => ({ startDate: at(10), endDate: at(30), userId: players[0]!.id }),
    (row) => row.at >= at(10) && row.at <= at(30) && row.userId === players[0]!.id,
  ],
  ['a range the wrong way round', () => ({ startDate: at(30), endDate: at(10) }), () => false],
];

describe('POST /admin/bets', () => {
  test.each(CASES)(
    'returns exactly the bets that match the filter %s, in any sort order and page size',
    async (_, whereOf, matches) => {
      const where = whereOf();
      const due = rows.filter(matches);
      const byAmount = due.toSorted((a, b) => Number(a.usdAmount - b.usdAmount) || Number(a.id - b.id));
      for (const [sortBy, list] of [
        ['CREATED_AT', due],
        ['USD_AMOUNT', byAmount],
      ] as const)
        for (const [sortOrder, take] of [
          ['asc', 100],
          ['desc', 4],
        ] as const) {
          const expected = idsOf(sortOrder === 'asc' ? list : list.toReversed());
          const { ids, totals } = await pages({ where, sortBy, sortOrder }, take);
          expect(ids).toEqual(expected);
          expect(new Set(totals)).toEqual(new Set([due.length]));
        }
    },
  );

  test('lists the newest twenty bets of all states by default', async () => {
    const { body } = await find({});
    expect(body).toMatchObject({ page: 1, take: 20, total: 42, totalPages: 3 });
    expect(idsOf(body.data)).toEqual(idsOf(rows).toReversed().slice(0, 20));
  });

  test('returns every field and the error details to staff, and full email addresses only with the permission', async () => {
    const due = rows.find((row) => row.status === 'ERROR' && row.roundId !== null)!;
    const owner = players.find((player) => player.id === due.userId)!;
    await app.db
      .updateTable('users')
      .set({ email: 'somebody@bets.example' })
      .where('id', '=', owner.id)
      .execute();
    const shown = {
      id: String(due.id),
      status: 'ERROR',
      currencyId: due.currencyId,
      payout: '0',
      usdPayout: '0',
      amount: String(due.amount / ONE),
      usdAmount: due.usdAmount === due.amount ? String(due.amount / ONE) : `${due.amount / ONE}.00000001`,
      multiplier: 0,
      game: {
        id: due.gameId,
        slug: expect.any(String),
        name: expect.any(String),
        type: due.gameId === slotId ? 'SLOTS' : 'HOUSE_GAME',
        images: due.gameId === slotId ? [] : [expect.stringMatching(/^\/art\/tile-/)],
        providerName: null,
      },
      userId: owner.id,
      user: {
        id: owner.id,
        username: owner.username,
        email: 'so***@bets.example',
        avatar: null,
        vipLevel: 0,
      },
      providerId: null,
      externalId: null,
      bonusGrantId: null,
      bonus: null,
      roundId: String(due.roundId),
      errorReason: 'no answer from the provider',
      createdAt: due.at.toISOString(),
      updatedAt: due.at.toISOString(),
      settledAt: due.at.toISOString(),
    };
    const where = { id: String(due.id) };
    expect((await find({ where })).body.data).toEqual([shown]);
    const inFull = { ...shown, user: { ...shown.user, email: 'somebody@bets.example' } };
    expect((await find({ where }, seer)).body.data).toEqual([inFull]);
    const own = await owner.call('GET', '/bets?status=ERROR');
    expect(idsOf(own.body.data)).toContain(String(due.id));
    expect(own.text).not.toContain('no answer');
    expect(own.text).not.toContain('errorReason');
  });

  test('includes a bet that was placed a moment ago', async () => {
    const [player] = players;
    const { body: bet } = await betOnDice(player!);
    const first = await find({ take: 1 });
    expect(first.body).toMatchObject({ total: 43, data: [{ id: bet.betId, userId: player!.id }] });
    const mine = await player!.call('GET', '/bets?take=1');
    expect(mine.body.data[0].id).toBe(bet.betId);
  });

  test('rejects invalid input and names the field', async () => {
    const bad: [body: object, path: string][] = [
      [{ sortBy: 'ID' }, 'sortBy'],
      [{ sortOrder: 'DESC' }, 'sortOrder'],
      [{ take: 101 }, 'take'],
      [{ take: 0 }, 'take'],
      [{ page: 0 }, 'page'],
      [{ page: '1' }, 'page'],
      [{ more: 1 }, 'more'],
      ...Object.entries({
        id: 503,
        userId: 0,
        username: 'x'.repeat(65),
        status: 'settled',
        gameType: 'SLOT',
        category: 1,
        gameSlug: 'x'.repeat(65),
        providerId: 0,
        currencyId: 'x'.repeat(17),
        roundId: 1,
        externalId: null,
        minUsdAmount: 1,
        maxUsdAmount: '-1',
        minMultiplier: -1,
        startDate: 'today',
        endDate: '2026-02-30T00:00:00Z',
        payout: '1',
      }).map(([field, value]): [object, string] => [{ where: { [field]: value } }, `where.${field}`]),
    ];
    for (const [body, path] of bad) {
      const answer = await find(body);
      expect(codeOf(answer), JSON.stringify(body)).toBe('400 VALIDATION_FAILED');
      expect(JSON.stringify(answer.body.details.fields), JSON.stringify(body)).toContain(
        path.split('.').at(-1),
      );
    }
    for (const where of [{ minUsdAmount: '0.000000001' }, { maxUsdAmount: '999999999999' }])
      expect(codeOf(await find({ where }))).toBe('400 AMOUNT_OUT_OF_RANGE');
    const extremes = {
      startDate: '0001-01-01T00:00:00Z',
      endDate: '9999-12-31T23:59:59Z',
      minMultiplier: 1e9,
    };
    expect((await find({ where: extremes })).body.total).toBe(0);
  });
});

describe('in both APIs', () => {
  const doors = (): [name: string, ask: (token: string | undefined) => Promise<Answer>, good: number][] => [
    ['POST /admin/bets', (token) => app.call('POST', '/admin/bets', { token, body: {} }), 201],
    ['POST /bets', (token) => backoffice.call('POST', '/bets', { token, body: {} }), 200],
    ['GET /bets', (token) => backoffice.call('GET', '/bets', { token }), 200],
  ];

  test('requires bet.read, and checks it before the body', async () => {
    const other = await app.as({ permissions: ['user.read', 'transaction.read'] });
    for (const [name, ask, good] of doors()) {
      expect(codeOf(await ask(undefined)), name).toBe('401 UNAUTHORIZED');
      for (const who of [players[0]!, other])
        expect(codeOf(await ask(who.token)), name).toBe('403 FORBIDDEN');
      for (const who of [clerk, boss]) expect((await ask(who.token)).status, name).toBe(good);
    }
    const body = { where: 'nonsense' };
    for (const who of [players[0]!, other]) expect(codeOf(await find(body, who))).toBe('403 FORBIDDEN');
  });

  test('returns the same lists and errors in both APIs', async () => {
    const bodies: { where?: object; [field: string]: unknown }[] = [
      {},
      { where: { userId: players[0]!.id, status: 'SETTLED' }, page: 2, take: 3 },
      { where: { minUsdAmount: '3', minMultiplier: 1.5 }, sortBy: 'USD_AMOUNT', sortOrder: 'asc' },
      { where: { minUsdAmount: '0.000000001' } },
      { take: 0 },
    ];
    const { token } = boss;
    for (const body of bodies) {
      const { where, ...others } = body;
      const query = new URLSearchParams([
        ...Object.entries(others).map(([name, value]): [string, string] => [name, String(value)]),
        ...(where ? [['where', JSON.stringify(where)] as [string, string]] : []),
      ]);
      const answers = [
        await app.call('POST', '/admin/bets', { token, body }),
        await backoffice.call('POST', '/bets', { token, body }),
        await backoffice.call('GET', `/bets?${query}`, { token }),
      ];
      const bare = answers.map(({ status, body: { requestId: _, ...rest } }) => ({
        ...rest,
        isGood: status < 300,
        ...(status < 300 ? {} : { message: '', details: '' }),
      }));
      expect(bare[1]).toEqual(bare[0]);
      expect(bare[2]).toEqual(bare[0]);
    }
  });

  test.each(['{', '[]', 'null', '{"state":1}', '{"username":"\\u0000"}', '"x"', ''])(
    'rejects the filter %s in a query',
    async (where) => {
      const path = `/bets?where=${encodeURIComponent(where)}`;
      const answer = await backoffice.call('GET', path, { token: clerk.token });
      expect(codeOf(answer)).toBe('400 VALIDATION_FAILED');
    },
  );
});

describe('GET /bets/slots/info/{betId}', () => {
  const info = (id: string, who: Player) => who.call('GET', `/bets/slots/info/${id}`);

  test("returns one of the player's slot bets without inputs and outcome", async () => {
    const due = rows.find((row) => row.gameId === slotId && row.status === 'SETTLED')!;
    const owner = players.find((player) => player.id === due.userId)!;
    const { status, body } = await info(String(due.id), owner);
    expect([status, body]).toEqual([
      200,
      {
        currencyId: due.currencyId,
        amount: String(due.amount / ONE),
        payout: expect.any(String),
        betId: String(due.id),
        settledAt: due.at.toISOString(),
        windowId: null,
        game: {
          id: slotId,
          slug: 'gold',
          name: 'Gold',
          type: 'SLOTS',
          images: [expect.stringMatching(/^\/covers\/gold\.svg\?v=\w+$/)],
          providerName: null,
          multiplier: multiplier(due),
          inputs: null,
          outcome: null,
        },
        user: { id: owner.id, username: owner.username, avatar: null, vipLevel: 0, isPrivate: false },
      },
    ]);
  });

  test("returns the same 404 for other players' bets, open bets, house bets, and missing or malformed ids", async () => {
    const slots = rows.filter((row) => row.gameId === slotId);
    const due = slots.find((row) => row.status === 'SETTLED')!;
    const [owner, stranger] = [
      players.find((player) => player.id === due.userId)!,
      players.find((player) => player.id !== due.userId)!,
    ];
    const missing = await info('9223372036854775807', owner);
    expect(codeOf(missing)).toBe('404 BET_NOT_FOUND');
    const said = ({ status, body }: Answer) => ({ status, ...body, requestId: '' });
    expect(said(await info(String(due.id), stranger))).toEqual(said(missing));
    const [open] = await insertBets(app, [
      { id: 5001n, userId: owner.id, at: at(0), status: 'CREATED', gameId: slotId },
    ]);
    const house = rows.find((row) => row.userId === owner.id && isHouse(row) && row.status === 'SETTLED')!;
    for (const id of [String(open!.id), String(house.id), '0', 'abc', '1e3', `0${due.id}`, '1'.repeat(64)])
      expect(said(await info(id, owner))).toEqual(said(missing));
    expect((await app.call('GET', `/bets/slots/info/${due.id}`)).status).toBe(401);
  });
});
