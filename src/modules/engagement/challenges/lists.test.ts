import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { startChallenges } from '../../../../test/kit/engagement/challenges.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { placeBet } from '../../../../test/kit/games/bets.ts';

// Reconciliation is off, because these bets move no money.
const world = fixture(async () => {
  const started = await startChallenges({ reconcileOnStop: false });
  const { app } = started;
  await sql`update exchange_rates set usd_rate = 50000 * 10::int8 ^ 12 where currency_id = 'BTC'`.execute(
    app.db,
  );
  const winner = await started.player();
  const other = await started.player();
  const plenty = { minBetAmountUsd: '100' };
  const bet = (userId: number, gameSlug: string, payout: number) =>
    sql<{ id: number }>`select id from games where slug = ${gameSlug}`.execute(app.db).then(({ rows }) =>
      placeBet(app, {
        userId,
        gameId: rows[0]!.id,
        amount: 100_00000000n,
        payout: BigInt(payout) * 100_00000000n,
        usd: 1n,
        settledAt: new Date(Date.now() - 60_000),
      }),
    );
  const dice = await started.create({ ...plenty, minBetMultiplier: 5, rewardAmount: '10' });
  const keno = await started.create({
    ...plenty,
    gameSlug: 'keno',
    minBetMultiplier: 2.5,
    rewardAmount: '30',
  });
  const rich = await started.create({
    ...plenty,
    gameSlug: 'keno',
    minBetMultiplier: 100,
    rewardCurrency: 'BTC',
    rewardAmount: '0.001',
  });
  const hidden = await started.create({ ...plenty, gameSlug: 'keno', minBetMultiplier: 3 });
  const made = {
    won: await bet(winner.id, 'keno', 3),
    near: await bet(other.id, 'keno', 2),
    dice: await bet(winner.id, 'dice', 4),
  };
  await started.consume();
  await started.change(hidden.id, { isHidden: true });
  expect((await started.award(keno.id, String(made.won))).status).toBe(201);
  return {
    ...started,
    winner,
    other,
    made,
    ids: { dice: dice.id, keno: keno.id, rich: rich.id, hidden: hidden.id },
  };
});

const names = (answer: { body: any }): string[] => {
  const byId = new Map(Object.entries(world.ids).map(([name, id]) => [id, name]));
  return answer.body.data.map((row: any) => byId.get(row.id ?? row.challenge?.id));
};
const listed = (query = '') => world.app.call('GET', `/challenge${query}`);
const staff = (query: string) =>
  world.boss.call('GET', `/admin/challenge?sortBy=createdAt&sortOrder=asc${query}`);

describe('GET /challenge', () => {
  test.each([
    ['', ['rich', 'keno', 'dice']],
    ['?sortOrder=asc', ['dice', 'keno', 'rich']],
    ['?isFinished=true', ['keno']],
    ['?isFinished=false', ['rich', 'dice']],
    ['?gameSlug=keno', ['rich', 'keno']],
    ['?gameSlug=nothing', []],
    ['?search=DIC', ['dice']],
    ['?search=eno%20%E2%89%A5%202.5%C3%97', ['keno']],
    ['?search=%25', []],
    ['?search=%20', ['rich', 'keno', 'dice']],
    ['?sortBy=rewardUsdAmount', ['rich', 'keno', 'dice']],
    ['?sortBy=rewardUsdAmount&sortOrder=asc', ['dice', 'keno', 'rich']],
    ['?sortBy=minBetMultiplier&sortOrder=asc', ['keno', 'dice', 'rich']],
    ['?sortBy=winnerSelectedAt', ['keno', 'rich', 'dice']],
    ['?take=2&page=2', ['dice']],
    ['?page=9', []],
  ])('lists the matching challenges for "%s"', async (query, expected) => {
    const answer = await listed(query);
    expect([answer.status, names(answer)]).toEqual([200, expected]);
  });

  test('returns only the public fields, and at most twenty challenges', async () => {
    const { body } = await listed('?isFinished=true');
    expect(body).toMatchObject({ total: 1, page: 1, take: 20, totalPages: 1 });
    expect(body.data[0]).toEqual({
      id: world.ids.keno,
      title: 'Keno ≥ 2.5×',
      imageUrl: '/art/tile-keno.svg',
      targetGame: expect.objectContaining({ slug: 'keno' }),
      minBetAmountUsd: '100',
      minBetMultiplier: 2.5,
      rewardCurrency: 'USDT',
      rewardAmount: '30',
      rewardUsdAmount: '30',
      status: 'FINISHED',
      winner: {
        id: world.winner.id,
        username: world.winner.username,
        avatar: null,
        vipLevel: 0,
        isPrivate: false,
      },
      winnerSelectedAt: expect.stringMatching(/Z$/),
    });
    expect(codeOf(await listed('?take=21'))).toBe('400 VALIDATION_FAILED');
    expect(codeOf(await listed('?sortBy=title'))).toBe('400 VALIDATION_FAILED');
  });

  test('masks the name of a winner who is a hidden player for everyone, including the winner', async () => {
    const change = (isPrivate: boolean) => world.winner.call('PATCH', '/user/me', { body: { isPrivate } });
    await change(true);
    const masked = { id: null, username: 'Incognito', avatar: null, vipLevel: null, isPrivate: true };
    for (const by of [world.app, world.winner]) {
      expect((await by.call('GET', '/challenge?isFinished=true')).body.data[0].winner).toEqual(masked);
      expect((await by.call('GET', `/challenge/${world.ids.keno}`)).body.winner).toEqual(masked);
    }
    await change(false);
  });
});

test('GET /challenge/{id} returns the rules and the winning bet, and 404 for hidden challenges', async () => {
  const { body } = await world.app.call('GET', `/challenge/${world.ids.keno}`);
  expect(body).toMatchObject({ betId: String(world.made.won), status: 'FINISHED' });
  expect(body.rules).toContain('at least 100 USD on Keno that pays 2.5 times its stake or more wins 30 USDT');
  expect((await world.app.call('GET', `/challenge/${world.ids.dice}`)).body.betId).toBeNull();
  for (const id of [world.ids.hidden, '01a20bc1-4f61-7371-9317-79760da40e40'])
    expect(codeOf(await world.app.call('GET', `/challenge/${id}`))).toBe('404 CHALLENGE_NOT_FOUND');
});

describe('GET /challenge/my', () => {
  test("returns the challenges that the player won or nearly won, with the player's best bet, without hidden challenges", async () => {
    const answer = await world.winner.call('GET', '/challenge/my?sortBy=bestMultiplier');
    expect([answer.status, names(answer)]).toEqual([
      200,
      ['dice', 'rich', 'keno'].sort((a, b) => sorted(a, b)),
    ]);
    const rows = Object.fromEntries(answer.body.data.map((row: any) => [row.challenge.id, row]));
    expect(rows[world.ids.keno]).toMatchObject({
      isWon: true,
      bestMultiplier: 3,
      betId: String(world.made.won),
      settledAt: expect.stringMatching(/Z$/),
    });
    expect(rows[world.ids.dice]).toMatchObject({
      isWon: false,
      bestMultiplier: 4,
      betId: String(world.made.dice),
    });
    const other = await world.other.call('GET', '/challenge/my?sortOrder=asc&take=1&page=2');
    expect([other.body.total, names(other)]).toEqual([2, ['rich']]);
    expect(names(await world.other.call('GET', '/challenge/my'))).toEqual(['rich', 'keno']);
    expect((await world.other.call('GET', '/challenge/my')).body.data[1]).toMatchObject({
      isWon: false,
      bestMultiplier: 2,
    });
    expect(codeOf(await world.app.call('GET', '/challenge/my'))).toBe('401 UNAUTHORIZED');
  });

  /** Sorts by multiplier, then by id, both descending. */
  const sorted = (a: string, b: string) => {
    const multipliers: Record<string, number> = { dice: 4, keno: 3, rich: 3 };
    const ids = world.ids as Record<string, string>;
    return multipliers[b]! - multipliers[a]! || (ids[a]! < ids[b]! ? 1 : -1);
  };
});

describe('GET /admin/challenge', () => {
  test.each([
    ['', ['dice', 'keno', 'rich', 'hidden']],
    ['&isHidden=true', ['hidden']],
    ['&isHidden=false', ['dice', 'keno', 'rich']],
    ['&isFinished=true', ['keno']],
    ['&isFinished=false&gameSlug=keno', ['rich', 'hidden']],
    ['&winnerSearch=keno', ['keno']],
    ['&winnerSearch=dice', []],
    ['&winnerSearch=%25%25%25', []],
    ['&take=2&page=2', ['rich', 'hidden']],
  ])('lists the matching challenges for "%s"', async (query, expected) => {
    const answer = await staff(query);
    expect([answer.status, names(answer)]).toEqual([200, expected]);
  });

  test('finds winners by id and by part of the username', async () => {
    const { id, username } = world.winner;
    for (const text of [String(id), username.slice(2, 9), username.toUpperCase()])
      expect(names(await staff(`&winnerSearch=${text}`))).toEqual(['keno']);
    expect(names(await staff(`&winnerSearch=${world.other.username}`))).toEqual([]);
  });

  test('requires a sort order and supports every sort field', async () => {
    const call = (query: string) => world.boss.call('GET', `/admin/challenge?${query}`);
    for (const query of ['sortBy=createdAt', 'sortOrder=asc', 'sortBy=title&sortOrder=asc'])
      expect(codeOf(await call(query))).toBe('400 VALIDATION_FAILED');
    for (const sortBy of [
      'updatedAt',
      'rewardUsdAmount',
      'minBetAmountUsd',
      'minBetMultiplier',
      'winnerSelectedAt',
    ]) {
      const [up, down] = [
        await call(`sortBy=${sortBy}&sortOrder=asc`),
        await call(`sortBy=${sortBy}&sortOrder=desc`),
      ];
      expect([up.status, names(up)]).toEqual([200, names(down).reverse()]);
    }
  });

  test('requires challenge.read, and masks email addresses', async () => {
    const reader = await world.app.as({ permissions: ['challenge.read'] });
    const path = '/admin/challenge?sortBy=createdAt&sortOrder=asc&isFinished=true';
    const { winner } = (await reader.call('GET', path)).body.data[0];
    expect([winner.id, winner.email]).toEqual([world.winner.id, expect.stringContaining('***')]);
    const other = await world.app.as({ permissions: ['bet.read'] });
    expect(codeOf(await other.call('GET', path))).toBe('403 FORBIDDEN');
    expect(codeOf(await world.winner.call('GET', path))).toBe('403 FORBIDDEN');
    expect(codeOf(await world.app.call('GET', path))).toBe('401 UNAUTHORIZED');
  });
});

describe('GET /admin/challenge/{id}/bets', () => {
  test('filters by player and bet, and sorts by three fields', async () => {
    const { id } = await world.create({ minBetAmountUsd: '100', minBetMultiplier: 1 });
    const at = (seconds: number) => new Date(Date.now() - seconds * 1000);
    const bet = (userId: number, amount: bigint, payout: bigint, settledAt: Date) =>
      placeBet(world.app, { userId, gameId: 1, amount, payout, usd: 1n, settledAt });
    const a = String(await bet(world.winner.id, 100_00000000n, 300_00000000n, at(10)));
    const b = String(await bet(world.other.id, 200_00000000n, 400_00000000n, at(30)));
    const c = String(await bet(world.winner.id, 300_00000000n, 300_00000000n, at(20)));
    await world.consume();
    const ids = async (query: string) => (await world.bets(id, query)).map(({ betId }) => betId);
    expect(await ids('')).toEqual([b, c, a]);
    expect(await ids('?sortOrder=desc')).toEqual([a, c, b]);
    expect(await ids('?sortBy=usdAmount')).toEqual([a, b, c]);
    expect(await ids('?sortBy=multiplier&sortOrder=desc')).toEqual([a, b, c]);
    expect(await ids(`?userId=${world.winner.id}`)).toEqual([c, a]);
    expect(await ids(`?betId=${b}`)).toEqual([b]);
    expect(await ids('?take=1&page=2')).toEqual([c]);
    expect(await ids('?page=7')).toEqual([]);
  });
});
