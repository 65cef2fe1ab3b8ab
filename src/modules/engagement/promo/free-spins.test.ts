/**
 * Tests free spins of promotions, which are ordered from the sandbox providers and played there using each provider's own protocol. The
 * books are reconciled when the app stops.
 */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cashOf, type Player, type TestApp } from '../../../../test/kit/app.ts';
import {
  newCodes,
  newPromo,
  PROMO_STAFF,
  redeem,
  refused,
  startPromo,
} from '../../../../test/kit/engagement/promo.ts';
import { AGGREGATORS, compareAggregator } from '../../../../test/kit/games/provider-books.ts';
import { type Outside, startOutside } from '../../../../test/kit/http/outside.ts';
import { formatUnits, units } from '../../../platform/money.ts';
import { erase } from '../../backoffice/user-admin/erase.ts';

let outside: Outside;
let app: TestApp;
let staff: Player;
beforeAll(async () => {
  outside = await startOutside();
  app = await startPromo({ env: outside.env });
  outside.setApi(app.url);
  await app.services.hydration.run();
  staff = await app.as(PROMO_STAFF);
});
afterAll(async () => {
  await app.stop();
  await outside.close();
});

const GIVERS = ['hub88', 'softswiss', 'pragmatic'] as const;
type Giver = (typeof GIVERS)[number];

async function ask<T = any>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
  const answer = await fetch(outside.url + path, { method, ...(body && { body: JSON.stringify(body) }) });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

async function slugOf(name: keyof typeof AGGREGATORS, code = 'seven-orchards'): Promise<string> {
  const { slug } = await app.db
    .selectFrom('games')
    .innerJoin('game_providers', 'game_providers.id', 'games.provider_id')
    .select('games.slug')
    .where('game_providers.slug', '=', AGGREGATORS[name])
    .where('external_code', '=', code)
    .executeTakeFirstOrThrow();
  return slug;
}

/** A promotion with five free spins of ten cents each. Wins must be wagered three times. */
const spinsOn = (gameSlug: string, reward: object = {}) => ({
  name: 'Five spins',
  type: 'CODE',
  reward: {
    kind: 'FREE_SPINS',
    currencyId: 'USDT',
    freeSpins: 5,
    freeSpinValueUsd: '0.1',
    gameSlug,
    ...reward,
  },
  wagerMultiplier: 3,
  validityHours: 48,
});

async function newPlayer(): Promise<Player> {
  const username = `s_${randomBytes(7).toString('hex')}`;
  const balances = [{ currencyId: 'USDT', amount: '10' }];
  expect((await app.call('POST', '/debug/user/create', { body: { username, balances } })).status).toBe(201);
  return app.newPlayer({ username });
}

/** Returns a player who has redeemed a provider's free spins. The task that orders them has not run yet. */
async function granted(
  giver: Giver,
  { player: known, ...fields }: { player?: Player; [field: string]: unknown } = {},
) {
  const id = await newPromo(staff, { ...spinsOn(await slugOf(giver)), ...fields });
  const [code] = await newCodes(staff, id);
  const player = known ?? (await newPlayer());
  const { status, body } = await redeem(player, { code });
  expect([status, body.code]).toEqual([201, undefined]);
  return { player, grantId: body.id as string, promoId: id, redeemed: body };
}
const run = (grantId: string) => app.services.freeRounds.run({ grantId });
/** Returns a player whose free spins the provider has accepted. */
async function given(giver: Giver, fields: { player?: Player; [field: string]: unknown } = {}) {
  const all = await granted(giver, fields);
  await run(all.grantId);
  return all;
}

const awardsOf = async ({ id }: Player) =>
  (await ask<any[]>('GET', '/games/free-rounds')).filter(({ playerId }) => playerId === String(id));
const grantOf = async (player: Player) => (await player.call('GET', '/promo/my')).body.data[0];
const codesOf = async (player: Player) =>
  (await player.call('GET', '/notifications')).body.map(({ payload }: any) => payload.code);
const turnoverOf = ({ id }: Player) => app.services.rollover.remaining(app.db, id);

async function launch(player: Player, giver: Giver): Promise<string> {
  const path = `/casino/games/${await slugOf(giver)}/launch`;
  const { status, body } = await player.call('POST', path, { body: { currencyId: 'USDT' } });
  expect([status, body.code]).toEqual([201, undefined]);
  return new URL(body.url).searchParams.get('session')!;
}
/** Plays rounds of one dollar, or free rounds while the player has free rounds left. */
const play = (session: string, count: number) =>
  ask<any[]>('POST', '/games/rounds', { session, stake: '1', count });
const sumOf = (spun: readonly any[]) => spun.reduce((sum, { won }) => sum + units(won), 0n);
const settled = () => ask('POST', '/games/settle');

describe.each(GIVERS)('%s', (giver) => {
  test('grants free spins that need no stake and pay wins as cash with a wagering requirement', async () => {
    const { player, grantId, redeemed } = await granted(giver);
    const slug = await slugOf(giver);
    expect(redeemed).toMatchObject({
      status: 'PENDING',
      currencyId: 'USDT',
      grantedAmount: '0.5',
      bonusBalance: '0',
      wagerRequired: '0',
      progressPercent: 0,
      games: [slug],
      activatedAt: null,
    });
    expect(await awardsOf(player)).toEqual([]);
    await run(grantId);
    await run(grantId);
    const [award, ...more] = await awardsOf(player);
    expect(more).toEqual([]);
    expect(award).toMatchObject({
      book: giver,
      rounds: 5,
      played: 0,
      bet: '0.1',
      currency: 'USDT',
      state: 'OPEN',
    });
    const begun = await grantOf(player);
    expect(begun).toMatchObject({ status: 'PENDING', activatedAt: expect.any(String) });
    expect(Date.parse(begun.expiresAt) - Date.parse(begun.createdAt)).toBe(48 * 3_600_000);
    expect(Math.abs(Date.parse(award.until) - Date.parse(begun.expiresAt))).toBeLessThan(1000);
    expect(await codesOf(player)).toEqual(['promo.free-spins']);

    const session = await launch(player, giver);
    const spun = await play(session, 5);
    await settled();
    expect(spun.map(({ status, freeRoundsLeft }) => `${status} ${freeRoundsLeft}`)).toEqual(
      [4, 3, 2, 1, 0].map((left) => `PLAYED ${left}`),
    );
    const won = sumOf(spun);
    expect(await cashOf(player)).toBe(formatUnits(units('10') + won));
    expect(await grantOf(player)).toMatchObject({
      status: 'COMPLETED',
      progressPercent: 100,
      closeReason: 'PLAYED',
    });
    expect(await codesOf(player)).toEqual(['promo.free-spins-played', 'promo.free-spins']);
    // Free spins do not count as bets and are not deducted from the NGR.
    const given = await app.db
      .selectFrom('money_hours')
      .select('kind')
      .where('user_id', '=', player.id)
      .execute();
    expect(given).toEqual([]);
    expect((await player.call('GET', '/bets')).body.total).toBe(0);
    expect(await turnoverOf(player)).toBe(won * 3n);
    const [paid] = await play(session, 1);
    expect(paid.freeRoundsLeft).toBeUndefined();
    expect(await cashOf(player)).toBe(formatUnits(units('10') + won - units('1') + sumOf([paid])));
    expect(await compareAggregator(app.db, await ask('GET', '/games/books'))).toEqual([]);
  });

  test('retries an order that received no response, and grants the spins once', async () => {
    const { player, grantId } = await granted(giver);
    await ask('POST', '/games/behaviour', { awardLost: { next: 1 } });
    await expect(run(grantId)).rejects.toThrow();
    expect((await grantOf(player)).activatedAt).toBeNull();
    await run(grantId);
    expect((await grantOf(player)).activatedAt).not.toBeNull();
    expect(await awardsOf(player)).toHaveLength(1);
  });

  test('cancels the order when the grant is forfeited, and keeps wins that were already paid', async () => {
    const { player, grantId } = await given(giver);
    const session = await launch(player, giver);
    const spun = await play(session, 2);
    const { status, body } = await player.call('POST', `/promo/${grantId}/forfeit`, { body: {} });
    expect([status, body.status]).toEqual([201, 'FORFEITED']);
    await run(grantId);
    await settled();
    expect(await awardsOf(player)).toMatchObject([{ state: 'CANCELLED', played: 2 }]);
    expect(await cashOf(player)).toBe(formatUnits(units('10') + sumOf(spun)));
    expect(await turnoverOf(player)).toBe(sumOf(spun) * 3n);
    expect(await grantOf(player)).toMatchObject({ status: 'FORFEITED' });
    await run(grantId);
  });

  test('cancels an order even when its outcome is unknown', async () => {
    const { player, grantId } = await granted(giver);
    await ask('POST', '/games/behaviour', { awardLost: { next: 1 } });
    await expect(run(grantId)).rejects.toThrow();
    expect((await player.call('POST', `/promo/${grantId}/forfeit`, { body: {} })).status).toBe(201);
    await run(grantId);
    expect(await awardsOf(player)).toMatchObject([{ state: 'CANCELLED' }]);
  });

  test('pays each win once despite errors during play', async () => {
    const { player } = await given(giver, { reward: spinsOn(await slugOf(giver), { freeSpins: 12 }).reward });
    const session = await launch(player, giver);
    await ask('POST', '/games/behaviour', { lost: 0.3, duplicates: 0.3, duplicatesAtOnce: 0.3, seed: 5 });
    const spun: any[] = [];
    // The round whose stake received no response was rolled back, so it is played again.
    do spun.push(...(await play(session, 1)));
    while (spun.at(-1).freeRoundsLeft > 0);
    await ask('POST', '/games/behaviour', {});
    await settled();
    expect(spun.filter(({ status }) => status === 'PLAYED')).toHaveLength(12);
    expect(await cashOf(player)).toBe(formatUnits(units('10') + sumOf(spun)));
    expect(await turnoverOf(player)).toBe(sumOf(spun) * 3n);
    expect(await grantOf(player)).toMatchObject({ status: 'COMPLETED' });
  });

  test('treats a round as part of the free spins until its separate end message arrives', async () => {
    const { player } = await given(giver);
    const session = await launch(player, giver);
    await ask('POST', '/games/behaviour', { noClose: 1 });
    const spun = await play(session, 5);
    await ask('POST', '/games/behaviour', {});
    await settled();
    expect(await cashOf(player)).toBe(formatUnits(units('10') + sumOf(spun)));
    expect(await grantOf(player)).toMatchObject({ status: 'COMPLETED' });
    expect(await compareAggregator(app.db, await ask('GET', '/games/books'))).toEqual([]);
  });
});

test('reverses a win and its wagering requirement when Hub88 rolls the win back', async () => {
  const { player } = await given('hub88');
  const session = await launch(player, 'hub88');
  await ask('POST', '/games/behaviour', { takenBack: 1 });
  await play(session, 5);
  await ask('POST', '/games/behaviour', {});
  expect(await cashOf(player)).toBe('10');
  expect(await turnoverOf(player)).toBe(0n);
  // The stakes were rolled back too, so the number of played rounds is 0.
  expect(await grantOf(player)).toMatchObject({ status: 'PENDING' });
});

test('ends free spins when the player is excluded, before or after the order', async () => {
  const [waiting, begun] = [await granted('softswiss'), await given('softswiss')];
  for (const { player, grantId } of [waiting, begun]) {
    const excluded = await player.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 1 } });
    expect(excluded.status).toBe(201);
    await run(grantId);
    const row = await app.db
      .selectFrom('promo_grants')
      .select(['status', 'close_reason'])
      .where('id', '=', BigInt(grantId))
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ status: 'FORFEITED', close_reason: 'EXCLUDED' });
  }
  expect(await awardsOf(waiting.player)).toEqual([]);
  expect(await awardsOf(begun.player)).toMatchObject([{ state: 'CANCELLED' }]);
  expect(await codesOf(begun.player)).not.toContain('promo.free-spins-played');
});

test('ends free spins when the account is closed', async () => {
  const { player, grantId } = await given('softswiss', { player: await app.newPlayer() });
  const erasure = { userId: player.id, by: player.id, reason: 'a request of the player' };
  expect(await erase(app.services, erasure)).toBe(true);
  await run(grantId);
  expect(await awardsOf(player)).toMatchObject([{ state: 'CANCELLED' }]);
});

test('cancels an order that the provider accepts while the grant is ending', async () => {
  const { player, grantId } = await granted('softswiss');
  await Promise.all([run(grantId), player.call('POST', `/promo/${grantId}/forfeit`, { body: {} })]);
  await run(grantId);
  expect((await awardsOf(player)).map(({ state }) => state)).not.toContain('OPEN');
});

test('lets unplayed free spins expire, and notifies the player', async () => {
  const { player, grantId } = await given('pragmatic');
  await app.db
    .updateTable('promo_grants')
    .set({ waits_until: new Date(0) })
    .where('id', '=', BigInt(grantId))
    .execute();
  await app.services.grants.settleDue();
  expect(await grantOf(player)).toMatchObject({ status: 'EXPIRED', closeReason: 'NOT_PLAYED_IN_TIME' });
  expect((await codesOf(player))[0]).toBe('promo.lapsed');
});

test('lets staff grant free spins within the budget, and shows staff the wins', async () => {
  const id = await newPromo(staff, {
    ...spinsOn(await slugOf('hub88')),
    type: 'MANUAL',
    budget: { maxTotalUsd: '0.9' },
  });
  const [one, other] = [await newPlayer(), await newPlayer()].toSorted((a, b) => a.id - b.id);
  const give = (body: object) =>
    staff.call('POST', `/admin/promo/${id}/grant`, { body: { reason: 'a test', ...body } });
  expect(refused(await give({ userIds: [one!.id], amount: '5' }))).toBe('400 VALIDATION_FAILED');
  expect((await give({ userIds: [one!.id, other!.id] })).body).toMatchObject({
    granted: 1,
    skipped: [{ userId: other!.id, rule: 'PROMO_EXHAUSTED' }],
  });
  const { id: grantId } = await grantOf(one!);
  await run(grantId);
  const spun = await play(await launch(one!, 'hub88'), 5);
  const { body } = await staff.call('GET', `/admin/promo/${id}`);
  expect(body.stats).toMatchObject({
    grants: 1,
    activeLiabilityUsd: '0',
    convertedUsd: formatUnits(sumOf(spun)),
    forfeitedUsd: '0',
  });
  expect(body.reward).toMatchObject({ kind: 'FREE_SPINS', freeSpins: 5, freeSpinValueUsd: '0.1' });
});

test('returns PROMO_INVALID for games and currencies that do not support free spins', async () => {
  const orchards = await slugOf('pragmatic');
  const live = await slugOf('hub88', 'hub88-00004');
  const euroOnly = await app.db
    .selectFrom('games')
    .innerJoin('game_providers', 'game_providers.id', 'games.provider_id')
    .select('games.slug')
    .where('game_providers.slug', '=', AGGREGATORS.hub88)
    .where('currencies', 'is not', null)
    .where(sql<boolean>`(facts ->> 'hasFreeSpins')::bool`)
    .executeTakeFirst();
  const NOT_GIVEN =
    'reward.gameSlug is a game without free spins; choose one of a configured provider that has them';
  const NO_CURRENCY = 'reward.currencyId is not a currency of the game';
  for (const [reward, problem] of [
    [{ gameSlug: 'dice' }, NOT_GIVEN],
    [{ gameSlug: 'no-such-game' }, NOT_GIVEN],
    [{ gameSlug: live }, NOT_GIVEN],
    [{ gameSlug: await slugOf('generic') }, NOT_GIVEN],
    [{ gameSlug: orchards, currencyId: 'XXX' }, NO_CURRENCY],
    [{ gameSlug: orchards, currencyId: 'SOL' }, NO_CURRENCY],
    ...(euroOnly ? [[{ gameSlug: euroOnly.slug, currencyId: 'BTC' }, NO_CURRENCY] as const] : []),
    [
      { gameSlug: orchards, freeSpinValueUsd: '0.001' },
      'reward.freeSpinValueUsd is below the minimum stake in this currency',
    ],
  ] as const) {
    const answer = await staff.call('POST', '/admin/promo', { body: spinsOn(orchards, reward) });
    expect(refused(answer), problem).toBe('400 PROMO_INVALID');
    const { problems } = answer.body.details;
    expect(problems.map(({ path, message }: any) => `${path} ${message}`)).toEqual([problem]);
  }
});

test('lists for staff only the games of which promotions can give free spins', async () => {
  const reader = await app.as({ permissions: ['casino.read'] });
  const slugsOf = async (query: string): Promise<string[]> =>
    (await reader.call('GET', `/admin/casino/games/all?take=30&${query}`)).body.data.map(
      ({ slug }: any) => slug,
    );
  const given = await slugsOf('givesFreeSpins=true&name=orchards');
  for (const giver of GIVERS) expect(given).toContain(await slugOf(giver));
  expect(given).not.toContain(await slugOf('generic'));
  expect(await slugsOf('givesFreeSpins=false&name=orchards')).toContain(await slugOf('generic'));
  expect(await slugsOf('givesFreeSpins=true&slug=dice')).toEqual([]);
});

test('grants nothing and does not use up the code when the game was removed from the catalogue', async () => {
  const slug = await slugOf('softswiss', 'softswiss-00003');
  const id = await newPromo(staff, spinsOn(slug));
  const [code] = await newCodes(staff, id, { kind: 'ONE_TIME' });
  const remove = (at: Date | null) =>
    app.db.updateTable('games').set({ removed_at: at }).where('slug', '=', slug).execute();
  await remove(new Date());
  await app.services.catalogue.state.reload();
  const player = await newPlayer();
  expect(refused(await redeem(player, { code }))).toBe('409 PROMO_EXHAUSTED');
  await remove(null);
  await app.services.catalogue.state.reload();
  expect(refused(await redeem(player, { code }))).toBe('201');
});

test('fails permanently for a task whose grant does not exist, and ignores a grant without rounds', async () => {
  await expect(app.services.freeRounds.run({})).rejects.toThrow('the payload has no grant id');
  await expect(run('999999999')).resolves.toBeUndefined();
});
