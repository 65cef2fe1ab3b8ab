import { afterAll, beforeAll, expect, test } from 'vitest';
import { betOnDice, type Player, startApp, type TestApp } from '../../../test/kit/app.ts';

let app: TestApp;
let player: Player;
const amounts = ['3', '1', '2.5', '10', '0.5'];
const ids: string[] = [];

beforeAll(async () => {
  app = await startApp();
  player = await app.newPlayer({ usdt: 100 });
  for (const betAmount of amounts) ids.push((await betOnDice(player, { betAmount })).body.betId);
});
afterAll(() => app.stop());

const list = async (query: string, as = player) => {
  const { body } = await as.call('GET', `/bets${query}`);
  return { ...body, ids: body.data.map((bet: { id: string }) => bet.id) };
};

test('own bets come newest first, oldest first, or by dollars, page by page', async () => {
  expect((await list('')).ids).toEqual([...ids].reverse());
  expect((await list('?sortOrder=asc')).ids).toEqual(ids);
  const byAmount = [...ids.keys()].sort((a, b) => Number(amounts[b]) - Number(amounts[a])).map((i) => ids[i]);
  expect((await list('?sortBy=USD_AMOUNT')).ids).toEqual(byAmount);
  const pages = await Promise.all([1, 2, 3].map((page) => list(`?sortOrder=asc&take=2&page=${page}`)));
  expect(pages.flatMap((page) => page.ids)).toEqual(ids);
  expect(pages[2]).toMatchObject({ take: 2, page: 3, total: 5, totalPages: 3 });
});

test('a page beyond the end is empty with true totals, another status has none, a bad query is refused', async () => {
  expect(await list('?page=9007199254740991')).toMatchObject({ data: [], total: 5, totalPages: 1 });
  expect(await list('?status=ROLLBACK')).toMatchObject({ data: [], total: 0, totalPages: 0 });
  for (const query of ['?take=21', '?take=0', '?page=0', '?sortBy=id', '?status=settled', '?extra=1']) {
    const { status, body } = await player.call('GET', `/bets${query}`);
    expect([query, status, body.code]).toEqual([query, 400, 'VALIDATION_FAILED']);
  }
});

test("another player's bets are not in the list, and their ids are as good as absent", async () => {
  const other = await app.newPlayer({ usdt: 10 });
  expect((await list('', other)).total).toBe(0);
  const refused = await Promise.all(
    [ids[0]!, '1', '99999999999999999999', 'abc', '-1', '0x10'].map((id) =>
      other.call('GET', `/bets/house-games/info/${id}`),
    ),
  );
  for (const { status, body } of refused)
    expect([status, body.code, body.message]).toEqual([404, 'BET_NOT_FOUND', refused[0]!.body.message]);
});

test('the details of an own bet carry inputs, outcome and the multiplier that was paid', async () => {
  const { status, body } = await player.call('GET', `/bets/house-games/info/${ids[3]}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ betId: ids[3], currencyId: 'USDT', amount: '10', user: { id: player.id } });
  const { didWin } = body.game.outcome;
  expect(body.game).toMatchObject({
    slug: 'dice',
    inputs: { threshold: 50, above: true },
    multiplier: didWin ? 1.98 : 0,
  });
  expect(body.payout).toBe(didWin ? '19.8' : '0');
});
