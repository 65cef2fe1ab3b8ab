import { beforeAll, describe, expect, test } from 'vitest';
import { betOnDice, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { consumeAll, SHOWN_DICE } from '../../../../test/kit/games/bets.ts';
import { formatUnits, units } from '../../../platform/money.ts';
import { adminStatsOf } from './totals.ts';

/** The player's expected statistics, computed from the responses to the bets. */
let expected: Record<string, unknown>;

const app = fixture(startApp);
const backoffice = fixture(() => startApp({ part: 'backoffice', database: app.database }));
const clerk = fixture(() => app.as({ permissions: ['user.read'] }));
const boss = fixture(() => app.as('superadmin'));
const player = fixture(() => app.newPlayer({ usdt: 1000 }));
beforeAll(async () => {
  expected = await play(player, 12);
});

async function play(who: Player, bets: number) {
  let [wagered, payouts, wins, biggest] = [0n, 0n, 0, 0n];
  for (let i = 0; i < bets; i++) {
    const { body } = await betOnDice(who, { betAmount: `${1 + (i % 4)}.5` });
    const payout = body.didWin ? units(body.payout) : 0n;
    wagered += units(body.betAmount);
    payouts += payout;
    wins += body.didWin ? 1 : 0;
    if (payout > biggest) biggest = payout;
  }
  return {
    wageredUsd: formatUnits(wagered),
    profitUsd: formatUnits(payouts - wagered),
    betCount: bets,
    winCount: wins,
    biggestWinUsd: formatUnits(biggest),
    bestMultiplier: wins > 0 ? 1.98 : 0,
    favoriteGame: SHOWN_DICE,
  };
}
const mine = async (who: Player) => (await who.call('GET', '/user/me/stats')).body;
const publicOf = (username: string, token?: string) => app.call('GET', `/user/${username}/stats`, { token });
const set = (who: Player, change: object) =>
  app.db.updateTable('users').set(change).where('id', '=', who.id).execute();
/** The timeout is long, because another transaction on the same server may briefly hold back the safe watermark. */
const PATIENT = { timeout: 10_000, interval: 20 };
const NO_BETS = {
  wageredUsd: '0',
  profitUsd: '0',
  betCount: 0,
  winCount: 0,
  biggestWinUsd: '0',
  bestMultiplier: 0,
  favoriteGame: null,
};

describe('GET /user/me/stats', () => {
  test('counts every bet immediately, before and after the consumer processes it', async () => {
    expect(await mine(player)).toEqual(expected);
    await expect.poll(() => app.services.userStats.consume(), PATIENT).toBeGreaterThan(0);
    expect(await mine(player)).toEqual(expected);
    const { body } = await betOnDice(player, { betAmount: '1' });
    const paid = body.didWin ? units(body.payout) : 0n;
    const after = await mine(player);
    expect(after.betCount).toBe((expected.betCount as number) + 1);
    expect(units(after.wageredUsd)).toBe(units(expected.wageredUsd as string) + units('1'));
    const before = expected.profitUsd as string;
    const signed = (text: string) => (text.startsWith('-') ? -units(text.slice(1)) : units(text));
    expect(signed(after.profitUsd)).toBe(signed(before) + paid - units('1'));
    expected = after;
  });

  test('returns zeros for a player without bets, and 401 without a session', async () => {
    expect(await mine(await app.newPlayer())).toEqual(NO_BETS);
    expect((await app.call('GET', '/user/me/stats')).body.code).toBe('UNAUTHORIZED');
  });

  test('rejects a request for the username "me" without a session, instead of looking up such a user', async () => {
    const { status, body } = await publicOf('me');
    expect([status, body.code]).toEqual([401, 'UNAUTHORIZED']);
  });
});

describe('GET /user/{username}/stats', () => {
  test('returns public statistics by username, ignoring case, even for banned players', async () => {
    const { created_at } = await app.db
      .selectFrom('users')
      .select('created_at')
      .where('id', '=', player.id)
      .executeTakeFirstOrThrow();
    const shown = {
      ...expected,
      username: player.username,
      avatar: null,
      vipLevel: 0,
      isPrivate: false,
      createdAt: created_at.toISOString(),
    };
    expect(await publicOf(player.username)).toMatchObject({ status: 200, body: shown });
    expect((await publicOf(player.username.toUpperCase())).body).toEqual(shown);
    const banned = await app.newPlayer();
    await set(banned, { banned_at: new Date() });
    expect(await publicOf(banned.username)).toMatchObject({ status: 200, body: NO_BETS });
  });

  test.each([
    ['a private player', { is_private: true }],
    ['a player who streams', { is_streamer_mode: true }],
  ])('hides the amounts and avatar of %s from all other users, including staff', async (_, change) => {
    const hidden = await app.newPlayer({ usdt: 100 });
    const own = await play(hidden, 3);
    await set(hidden, {
      ...change,
      avatar: '/files/face.webp',
      email: `real.name.${hidden.id}@stats.example`,
    });
    for (const token of [undefined, player.token, clerk.token, boss.token]) {
      const { status, body, text } = await publicOf(hidden.username, token);
      expect(status).toBe(200);
      expect(body).toMatchObject({ isPrivate: true, avatar: null, betCount: 3, winCount: own.winCount });
      expect([body.wageredUsd, body.profitUsd, body.biggestWinUsd]).toEqual([null, null, null]);
      expect(text).not.toMatch(/face\.webp|real\.name|stats\.example/);
      expect(text).not.toContain(`"${own.wageredUsd}"`);
    }
    expect(await mine(hidden)).toEqual(own);
  });

  test.each([
    'nobody_at_all',
    'x',
    'a'.repeat(21),
    'a'.repeat(300),
    '%00',
    "x'%20or%20'1'='1",
    '%C4%B0abc',
    '1',
  ])('rejects %s with 404 USER_NOT_FOUND', async (name) => {
    const { status, body } = await publicOf(name);
    expect([status, body.code]).toEqual([404, 'USER_NOT_FOUND']);
  });
});

describe('full statistics', () => {
  const full = (id: unknown, token?: string) => app.call('GET', `/admin/user/${id}/full/stats`, { token });
  const fullInBackoffice = (id: unknown, token?: string) =>
    backoffice.call('GET', `/user/${id}/full/stats`, { token });

  test('returns the same response from the main API and the backoffice', async () => {
    const [{ status, body }, other] = [
      await full(player.id, clerk.token),
      await fullInBackoffice(player.id, boss.token),
    ];
    expect([status, other.status, other.body]).toEqual([200, 200, body]);
    const signed = expected.profitUsd as string;
    const ggr = signed === '0' ? '0' : signed.startsWith('-') ? signed.slice(1) : `-${signed}`;
    const wagered = units(expected.wageredUsd as string);
    expect(body).toEqual({
      totalWagered: expected.wageredUsd,
      totalPayouts: expect.any(String),
      totalDeposits: '0',
      totalWithdraws: '0',
      ltv: '0',
      netDeposit: '0',
      ggr,
      avgBet: formatUnits(wagered / BigInt(expected.betCount as number)),
      totalLoss: ggr.startsWith('-') ? '0' : ggr,
      totalBets: expected.betCount,
      rtp: Number((units(body.totalPayouts) * 10_000n) / wagered) / 100,
      winRate: Math.floor(((expected.winCount as number) * 10_000) / (expected.betCount as number)) / 100,
    });
  });

  test('returns zeros for a player without bets, and 404 for unknown ids', async () => {
    const { id } = await app.newPlayer();
    expect((await full(id, clerk.token)).body).toMatchObject({
      totalBets: 0,
      totalWagered: '0',
      rtp: 0,
      winRate: 0,
    });
    for (const missing of ['2147483647', '2147483648', '0', '-1', '1.5', 'x', '01', '99999999999'])
      for (const { status, body } of [
        await full(missing, clerk.token),
        await fullInBackoffice(missing, boss.token),
      ])
        expect([status, body.code], missing).toEqual([404, 'USER_NOT_FOUND']);
  });

  test('requires user.read in the main API and a superadmin in the backoffice', async () => {
    const other = await app.as({ permissions: ['user.write'] });
    for (const call of [full, fullInBackoffice]) {
      expect((await call(player.id)).body.code).toBe('UNAUTHORIZED');
      for (const { token } of [player, other])
        expect((await call(player.id, token)).body.code).toBe('FORBIDDEN');
    }
    expect((await fullInBackoffice(player.id, clerk.token)).body.code).toBe('FORBIDDEN');
  });

  test('returns the same statistics in one call for many users as in separate calls', async () => {
    const others = [await app.newPlayer(), await app.newPlayer({ usdt: 10 })];
    await play(others[1]!, 2);
    const ids = [player, ...others].map(({ id }) => id);
    const many = await adminStatsOf(app.db, ids);
    expect(new Set(many.keys())).toEqual(new Set(ids));
    for (const id of ids) expect(many.get(id)).toEqual((await full(id, clerk.token)).body);
    expect(await adminStatsOf(app.db, [])).toEqual(new Map());
  });
});

describe('POST /admin/user/stats/migrate', () => {
  const migrate = (token?: string) => app.call('POST', '/admin/user/stats/migrate', { token });
  const audits = () =>
    app.db
      .selectFrom('admin_audit')
      .select(['status_code', 'before', 'after', 'permission'])
      .where('path', '=', '/admin/user/stats/migrate')
      .where('user_id', '=', boss.id)
      .orderBy('id')
      .execute();

  test('keeps all statistics unchanged, even when called twice, and writes audit log entries', async () => {
    const audited = (await audits()).length;
    const { generation: first } = await app.db
      .selectFrom('cursors')
      .select('generation')
      .where('name', '=', 'user-stats')
      .executeTakeFirstOrThrow();
    for (const generation of [first + 1, first + 2]) {
      const { status, body } = await migrate(boss.token);
      expect([status, body]).toEqual([201, { success: true }]);
      expect(await mine(player)).toEqual(expected);
      expect((await audits()).at(-1)).toMatchObject({
        status_code: 201,
        permission: 'superadmin',
        before: { generation: generation - 1 },
        after: { generation, position: '0' },
      });
    }
    expect(await audits()).toHaveLength(audited + 2);
    await expect.poll(() => app.services.userStats.consume(1), PATIENT).toBe(1);
    expect(await mine(player)).toEqual(expected);
    await consumeAll(app);
    expect(await mine(player)).toEqual(expected);
  });

  test('requires a superadmin, and rejects a request with a body', async () => {
    expect((await migrate()).body.code).toBe('UNAUTHORIZED');
    for (const { token } of [player, clerk]) expect((await migrate(token)).body.code).toBe('FORBIDDEN');
    const { body } = await app.call('POST', '/admin/user/stats/migrate', {
      token: boss.token,
      body: { id: 1 },
    });
    expect(body.code).toBe('VALIDATION_FAILED');
  });
});
