import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { betOnDice, cashOf } from '../../../../test/kit/app.ts';
import { EASY, startChallenges } from '../../../../test/kit/engagement/challenges.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { form, picture } from '../../../../test/kit/http/images.ts';

// The books are reconciled when the app stops.
const world = fixture(() => startChallenges());
const ONE = '/admin/challenge/01a20bc1-4f61-7371-9317-79760da40e40';

/** Creates a challenge with a selected winner whose reward is not paid yet. */
async function won(terms: Parameters<typeof world.create>[0] = {}) {
  const challenge = await world.create(terms);
  const player = await world.player();
  const betId = await world.win(player);
  await world.choose(challenge.id);
  return { id: challenge.id as string, player, betId };
}
const auditOf = async (path: string) => {
  const { rows } = await sql<{ before: any; after: any; reason: string | null }>`
    select before, after, reason from admin_audit where path = ${path} and (before is not null or after is not null) order by id desc limit 1`.execute(
    world.app.db,
  );
  return rows[0];
};
const moneyOf = async (kind: string, userId: number) => {
  const { rows } = await sql<{ count: number; amount: bigint; usd: bigint }>`
    select count, amount, usd_amount as usd from money_hours where kind = ${kind} and user_id = ${userId}`.execute(
    world.app.db,
  );
  return rows.map(({ count, amount, usd }) => [count, Number(amount) / 1e8, Number(usd) / 1e8]);
};

describe('a challenge', () => {
  test('creates a challenge with the image of its game, reads, changes and deletes it, and writes audit entries', async () => {
    await sql`update games set images = '{https://img.example/dice.webp}' where slug = 'dice'`.execute(
      world.app.db,
    );
    const made = await world.create({ minBetMultiplier: 99.5, rewardCurrency: 'BTC', rewardAmount: '0.001' });
    expect(made).toMatchObject({
      title: 'Dice ≥ 99.5×',
      defaultTitle: 'Dice ≥ 99.5×',
      imageUrl: 'https://img.example/dice.webp',
      minBetAmountUsd: '1',
      minBetMultiplier: 99.5,
      rewardCurrency: 'BTC',
      rewardAmount: '0.001',
      validBetsCount: 0,
      creator: { id: world.boss.id },
      targetGame: { slug: 'dice', name: 'Dice' },
      isHidden: false,
      winner: null,
      winnerSelectedAt: null,
      winnerConfirmedBy: null,
      betId: null,
    });
    expect(Number(made.rewardUsdAmount)).toBeGreaterThan(1);
    expect((await auditOf('/admin/challenge'))?.after).toMatchObject({ id: made.id, minBetMultiplier: 99.5 });
    expect(await world.read(made.id)).toEqual(made);
    const changed = await world.change(made.id, {
      gameSlug: 'plinko',
      minBetAmountUsd: '2.5',
      isHidden: true,
    });
    expect([changed.status, changed.body]).toMatchObject([
      200,
      { title: 'Plinko ≥ 99.5×', minBetAmountUsd: '2.5', isHidden: true, rewardAmount: '0.001' },
    ]);
    expect(await auditOf(`/admin/challenge/${made.id}`)).toMatchObject({
      before: { id: made.id, gameSlug: 'dice', minBetAmountUsd: '1', isHidden: false },
      after: { id: made.id, gameSlug: 'plinko', minBetAmountUsd: '2.5', isHidden: true },
    });
    const gone = await world.boss.call('DELETE', `/admin/challenge/${made.id}`);
    expect([gone.status, gone.body.id]).toEqual([200, made.id]);
    expect((await auditOf(`/admin/challenge/${made.id}`))?.before).toMatchObject({
      id: made.id,
      gameSlug: 'plinko',
    });
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { isHidden: false }],
      ['DELETE', '', undefined],
      ['GET', '/bets', undefined],
      ['POST', '/award', { betId: '1', sendNotification: false }],
      ['POST', '/rollback', { reason: 'x', withdrawLessIfNotEnoughBalance: true, sendNotification: false }],
    ] as const)
      expect(codeOf(await world.boss.call(method, `/admin/challenge/${made.id}${path}`, { body }))).toBe(
        '404 CHALLENGE_NOT_FOUND',
      );
    await sql`update games set images = '{}' where slug = 'dice'`.execute(world.app.db);
  });

  test.each<[string, object]>([
    ['404 GAME_NOT_FOUND', { gameSlug: 'nothing' }],
    ['404 CURRENCY_NOT_FOUND', { rewardCurrency: 'XXX' }],
    ['400 VALIDATION_FAILED', { rewardAmount: '0' }],
    ['400 VALIDATION_FAILED', { rewardAmount: '0.000000001' }],
    ['400 VALIDATION_FAILED', { minBetAmountUsd: '0' }],
    ['400 VALIDATION_FAILED', { minBetMultiplier: 0.5 }],
    ['400 VALIDATION_FAILED', { minBetMultiplier: 1.00001 }],
    ['400 VALIDATION_FAILED', { title: 'Mine' }],
  ])('rejects an invalid challenge with %s: %o', async (code, wrong) => {
    expect(codeOf(await world.boss.call('PUT', '/admin/challenge', { body: { ...EASY, ...wrong } }))).toBe(
      code,
    );
    const { id } = await world.create({ isHidden: true });
    expect(codeOf(await world.change(id, wrong))).toBe(code);
  });

  test('rejects a change without fields, and keeps the publication time if no value changes', async () => {
    const { id } = await world.create();
    expect(codeOf(await world.change(id, {}))).toBe('400 VALIDATION_FAILED');
    const shownAt = async () =>
      (
        await sql<{ at: string }>`select shown_at::text as at from challenges where id = ${id}`.execute(
          world.app.db,
        )
      ).rows[0]!.at;
    const before = await shownAt();
    expect((await world.change(id, EASY)).status).toBe(200);
    expect(await shownAt()).toBe(before);
    await world.boss.call('DELETE', `/admin/challenge/${id}`);
  });

  test('converts an image, deletes the previous one and keeps the image of the game', async () => {
    const { id } = await world.create({ isHidden: true });
    const upload = async (color: string) => {
      const bytes = await picture(60, 80, color).png().toBuffer();
      return world.boss.call('POST', `/admin/challenge/${id}/image`, form([{ bytes, filename: 'a.png' }]));
    };
    const first = await upload('#ff0000');
    expect([first.status, first.body.imageUrl]).toEqual([
      201,
      expect.stringMatching(/\/files\/games\/.+\.webp$/),
    ]);
    const stored = (url: string) => world.app.call('GET', new URL(url).pathname);
    expect((await stored(first.body.imageUrl)).status).toBe(200);
    const second = await upload('#00ff00');
    expect(second.body.imageUrl).not.toBe(first.body.imageUrl);
    expect((await stored(first.body.imageUrl)).status).toBe(404);
    expect((await stored(second.body.imageUrl)).status).toBe(200);
    expect(await auditOf(`/admin/challenge/${id}/image`)).toMatchObject({
      before: { id, imageUrl: first.body.imageUrl },
      after: { id, imageUrl: second.body.imageUrl },
    });
    const wrong = form([{ bytes: 'no picture', filename: 'a.png' }]);
    const path = `/admin/challenge/${id}/image`;
    expect(codeOf(await world.boss.call('POST', path, wrong))).toBe('400 IMAGE_INVALID');
    expect((await world.boss.call('POST', path, form([]))).status).toBe(201);
    expect(codeOf(await world.boss.call('POST', `${ONE}/image`, wrong))).toBe('404 CHALLENGE_NOT_FOUND');
    expect((await stored(second.body.imageUrl)).status).toBe(200);
  });
});

describe('an award', () => {
  test('pays the selected bet once and writes a ledger entry, an event, a notification and an audit entry', async () => {
    const { id, player, betId } = await won();
    expect(await world.read(id)).toMatchObject({
      betId,
      winner: { id: player.id },
      winnerConfirmedBy: null,
      winnerSelectedAt: expect.stringMatching(/Z$/),
      validBetsCount: 1,
    });
    const before = Number(await cashOf(player));
    const key = randomUUID();
    const paid = await world.award(id, betId, { key, sendNotification: true });
    expect([paid.status, paid.body]).toMatchObject([
      201,
      { betId, winner: { id: player.id }, winnerConfirmedBy: { id: world.boss.id } },
    ]);
    expect(Number(await cashOf(player))).toBeCloseTo(before + 50, 8);
    const again = await world.award(id, betId, { key, sendNotification: true });
    expect([again.status, again.body]).toEqual([201, paid.body]);
    expect(codeOf(await world.award(id, betId, { key }))).toBe('409 IDEMPOTENCY_KEY_REUSED');
    expect(codeOf(await world.award(id, betId))).toBe('409 CHALLENGE_FINISHED');
    expect(Number(await cashOf(player))).toBeCloseTo(before + 50, 8);
    expect(await moneyOf('challenge.reward', player.id)).toEqual([[1, 50, 50]]);
    expect((await world.events('challenge.won')).filter((event) => event.challengeId === id)).toEqual([
      {
        challengeId: id,
        title: 'Dice ≥ 1×',
        winner: player.username,
        rewardCurrency: 'USDT',
        rewardAmount: '50',
      },
    ]);
    const { body: notes } = await player.call('GET', '/notifications');
    expect(notes).toMatchObject([
      {
        type: 'CHALLENGE',
        title: 'Challenge won',
        payload: { code: 'challenge.won', challengeId: id, amount: '50', currencyId: 'USDT' },
      },
    ]);
    expect(await auditOf(`/admin/challenge/${id}/award`)).toMatchObject({
      before: { id, status: 'WINNER_SELECTED', winnerId: player.id, betId },
      after: { id, status: 'FINISHED', winnerId: player.id, betId },
    });
    expect(codeOf(await world.change(id, { isHidden: true }))).toBe('409 CHALLENGE_FINISHED');
    expect(codeOf(await world.boss.call('DELETE', `/admin/challenge/${id}`))).toBe('409 CHALLENGE_FINISHED');
  });

  test('pays a bet other than the selected winner, even before one is selected, and notifies the player only on request', async () => {
    const { id, betId } = await won();
    const other = await world.player();
    const better = await world.win(other);
    const paid = await world.award(id, better);
    expect([paid.status, paid.body.betId, paid.body.winner.id]).toEqual([201, better, other.id]);
    expect((await other.call('GET', '/notifications')).body).toEqual([]);
    expect((await world.award(id, betId)).body.code).toBe('CHALLENGE_FINISHED');
    await world.rollBack(id);
    expect((await world.award(id, better)).body.details).toEqual({ rule: 'BARRED' });
    expect((await world.award(id, betId)).status).toBe(201);
  });

  test('does not announce an award for a hidden challenge, and announces it without the name of a private player', async () => {
    const hidden = await won();
    await world.change(hidden.id, { isHidden: true });
    expect((await world.award(hidden.id, hidden.betId)).status).toBe(201);
    const open = await won();
    await open.player.call('PATCH', '/user/me', { body: { isPrivate: true } });
    expect((await world.award(open.id, open.betId)).status).toBe(201);
    const events = await world.events('challenge.won');
    expect(events.filter(({ challengeId }) => challengeId === hidden.id)).toEqual([]);
    expect(events.find(({ challengeId }) => challengeId === open.id)?.winner).toBeNull();
    expect((await world.app.call('GET', `/challenge/${open.id}`)).body.winner).toMatchObject({
      id: null,
      username: 'Incognito',
    });
  });

  test.each<[string, string, string]>([
    ['PLAYER', 'update users set is_test = true', 'update users set is_test = false'],
    ['PLAYER', 'update users set is_staff = true', 'update users set is_staff = false'],
    ['BANNED', 'update users set banned_at = now()', 'update users set banned_at = null'],
  ])('rejects an award to a player who cannot win: %s after %s', async (rule, breaks, mends) => {
    const { id, player, betId } = await won();
    const ofPlayer = (statement: string) =>
      sql.raw(`${statement} where id = ${player.id}`).execute(world.app.db);
    await ofPlayer(breaks);
    const refused = await world.award(id, betId);
    expect([refused.status, refused.body.code, refused.body.details]).toEqual([
      409,
      'CHALLENGE_BET_NOT_ELIGIBLE',
      { rule },
    ]);
    await ofPlayer(mends);
    expect((await world.award(id, betId)).status).toBe(201);
  });

  test('rejects an award while the player is self-excluded or is in a blocked country', async () => {
    const excluded = await won();
    await excluded.player.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 1 } });
    expect((await world.award(excluded.id, excluded.betId)).body.details).toEqual({ rule: 'EXCLUDED' });
    const abroad = await won();
    await sql`update users set country_code = 'FR' where id = ${abroad.player.id}`.execute(world.app.db);
    const block = async (isBlocked: boolean) =>
      expect((await world.boss.call('PATCH', '/admin/country/FR', { body: { isBlocked } })).status).toBe(200);
    await block(true);
    expect(codeOf(await world.award(abroad.id, abroad.betId))).toBe('403 AUTH_GEO_BLOCKED');
    await block(false);
    expect(codeOf(await world.award(abroad.id, abroad.betId))).toBe('201');
  });

  test('rejects an award for an unknown bet, a bet below the minimum, or a stale exchange rate', async () => {
    const { id, player } = await won({ rewardCurrency: 'SOL', rewardAmount: '1' });
    expect(codeOf(await world.award(id, '1'))).toBe('404 BET_NOT_FOUND');
    expect(
      codeOf(
        await world.boss.call('POST', `${ONE}/award`, { body: { betId: '1', sendNotification: false } }),
      ),
    ).toBe('404 CHALLENGE_NOT_FOUND');
    const { body: small } = await betOnDice(player, { threshold: 10, betAmount: '0.5' });
    expect((await world.award(id, small.betId)).body.details).toEqual({ rule: 'MIN_BET' });
    const { betId } = await world.read(id);
    const age = (seconds: number) =>
      sql`update exchange_rates set source = 'coinbase', updated_at = now() - ${seconds} * interval '1 second' where currency_id = 'SOL'`.execute(
        world.app.db,
      );
    await age(301);
    await expect.poll(async () => codeOf(await world.award(id, betId))).toBe('409 RATE_STALE');
    await age(0);
    await expect.poll(async () => codeOf(await world.award(id, betId))).toBe('201');
  });

  test("requires challenge.pay, and rejects awards to the caller's own and connected accounts", async () => {
    const { id, betId, player } = await won();
    const writer = await world.app.as({ permissions: ['challenge.read', 'challenge.write'] });
    expect(codeOf(await world.award(id, betId, { by: writer }))).toBe('403 FORBIDDEN');
    const payer = await world.app.as({ permissions: ['challenge.pay'] });
    const own = await payer.call('GET', '/debug/me/give-money?amount=100');
    expect(own.status).toBe(200);
    const ownBet = await world.win(payer);
    expect(codeOf(await world.award(id, ownBet, { by: payer }))).toBe('403 OWN_ACCOUNT');
    await sql`update users set opened_by = ${payer.id} where id = ${player.id}`.execute(world.app.db);
    expect(codeOf(await world.award(id, betId, { by: payer }))).toBe('403 ACCOUNT_CONNECTED');
    await sql`update users set opened_by = null where id = ${player.id}`.execute(world.app.db);
    expect(codeOf(await world.award(id, betId, { by: payer }))).toBe('201');
    expect(codeOf(await world.rollBack(id, { by: writer }))).toBe('403 FORBIDDEN');
    expect(codeOf(await world.award(id, betId, { by: player }))).toBe('403 FORBIDDEN');
    expect(codeOf(await world.rollBack(id, { by: payer }))).toBe('201');
  });
});

describe('while a challenge has a winner', () => {
  test('accepts only visibility changes while the challenge has a winner', async () => {
    const { id, betId } = await won();
    for (const change of [
      { minBetMultiplier: 2 },
      { rewardAmount: '51' },
      { gameSlug: 'plinko' },
      { minBetAmountUsd: '2' },
    ])
      expect(codeOf(await world.change(id, change))).toBe('409 CHALLENGE_TERMS_FIXED');
    expect((await world.change(id, { ...EASY, isHidden: true })).body.isHidden).toBe(true);
    expect((await world.change(id, { isHidden: false })).body).toMatchObject({ isHidden: false, betId });
    expect((await world.award(id, betId)).status).toBe(201);
  });

  test('allows deleting a challenge that has a winner', async () => {
    const { id, betId } = await won();
    expect((await world.boss.call('DELETE', `/admin/challenge/${id}`)).status).toBe(200);
    expect(codeOf(await world.award(id, betId))).toBe('404 CHALLENGE_NOT_FOUND');
    await world.decide(id);
  });
});

describe('a rollback', () => {
  test('reverses the reward, excludes the bet from winning, and lets another bet win', async () => {
    const { id, player, betId } = await won();
    const second = await world.player();
    const next = await world.win(second);
    const before = await cashOf(player);
    await world.award(id, betId);
    const key = randomUUID();
    const back = await world.rollBack(id, { key, sendNotification: true });
    expect([back.status, back.body]).toMatchObject([
      201,
      { winner: null, betId: null, winnerConfirmedBy: null, winnerSelectedAt: null },
    ]);
    expect((await world.rollBack(id, { key, sendNotification: true })).body).toEqual(back.body);
    expect(await cashOf(player)).toBe(before);
    expect(await moneyOf('challenge.rollback', player.id)).toEqual([[1, 50, 50]]);
    expect(codeOf(await world.rollBack(id))).toBe('409 CHALLENGE_NOT_AWARDED');
    expect((await player.call('GET', '/notifications')).body[0]).toMatchObject({
      type: 'CHALLENGE',
      payload: { code: 'challenge.rolled-back', amount: '50' },
    });
    expect(await auditOf(`/admin/challenge/${id}/rollback`)).toMatchObject({
      before: { status: 'FINISHED', betId },
      after: { status: 'ACTIVE', betId: null, taken: '50' },
      reason: 'it was a mistake',
    });
    await world.consume();
    await world.letSettle(id);
    expect(await world.runQueue()).toBeGreaterThan(0);
    expect((await world.read(id)).betId).toBe(next);
    expect((await world.award(id, next)).status).toBe(201);
  });

  test('takes less than the full reward only on request, and takes nothing from an empty balance', async () => {
    const { id, player, betId } = await won();
    await world.award(id, betId);
    const cash = await cashOf(player);
    const left = (amount: string) =>
      player.call('POST', '/accounting/to-vault', { body: { currencyId: 'USDT', amount } });
    expect((await left((Number(cash) - 12.5).toFixed(8))).status).toBe(201);
    const spent = await world.rollBack(id);
    expect([spent.status, spent.body.code, spent.body.details]).toEqual([
      409,
      'CHALLENGE_REWARD_SPENT',
      { currencyId: 'USDT', available: '12.5' },
    ]);
    expect((await world.rollBack(id, { withdrawLessIfNotEnoughBalance: true })).status).toBe(201);
    expect(await cashOf(player)).toBe('0');
    expect(await moneyOf('challenge.rollback', player.id)).toEqual([[1, 12.5, 12.5]]);
    const second = await world.player();
    const next = await world.win(second);
    await world.award(id, next);
    await second.call('POST', '/accounting/to-vault', {
      body: { currencyId: 'USDT', amount: await cashOf(second) },
    });
    expect((await world.rollBack(id, { withdrawLessIfNotEnoughBalance: true })).status).toBe(201);
    expect(await moneyOf('challenge.rollback', second.id)).toEqual([]);
    expect(await world.findings()).toEqual([]);
  });

  test("rejects a rollback without an award or a reason, and a rollback of the caller's own reward", async () => {
    const { id, betId, player } = await won();
    expect(codeOf(await world.rollBack(id))).toBe('409 CHALLENGE_NOT_AWARDED');
    await world.award(id, betId);
    expect(codeOf(await world.rollBack(id, { reason: '  ' }))).toBe('400 VALIDATION_FAILED');
    const payer = await world.app.as({ permissions: ['challenge.pay'] });
    await sql`update users set opened_by = ${payer.id} where id = ${player.id}`.execute(world.app.db);
    expect(codeOf(await world.rollBack(id, { by: payer }))).toBe('403 ACCOUNT_CONNECTED');
    const { rows } = await sql<{ email: string }>`
      update users set is_staff = true, permissions = '{challenge.pay}', email = username || '@staff.example', email_verified = true
      where id = ${player.id} returning email`.execute(world.app.db);
    expect(rows).toHaveLength(1);
    const winner = await world.app.newPlayer({ username: player.username });
    expect(codeOf(await world.rollBack(id, { by: winner }))).toBe('403 OWN_ACCOUNT');
  });
});

describe('notifications of the winner', () => {
  test.each([
    ['en', 'Challenge won', 'Challenge reward reversed', 'have been deducted from your balance.'],
    ['de', 'Challenge gewonnen', 'Challenge-Prämie zurückgenommen', 'wurden von Ihrem Guthaben abgezogen.'],
    ['es', 'Desafío ganado', 'Premio del desafío retirado', 'se han retirado 50 USDT de su saldo.'],
  ])("writes notifications in the winner's language: %s", async (language, wonTitle, backTitle, words) => {
    const { id, player, betId } = await won();
    await sql`update users set language = ${language} where id = ${player.id}`.execute(world.app.db);
    expect((await world.award(id, betId, { sendNotification: true })).status).toBe(201);
    expect((await world.rollBack(id, { sendNotification: true })).status).toBe(201);
    const { body } = await player.call('GET', '/notifications');
    expect(body.map(({ title }: any) => title)).toEqual([backTitle, wonTitle]);
    for (const note of body) expect(note.body).toContain('Dice ≥ 1×');
    expect(body[0].body).toContain(words);
  });

  test('sends notifications only on request, and never for a rejected award', async () => {
    const { id, player, betId } = await won();
    await player.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 1 } });
    expect((await world.award(id, betId, { sendNotification: true })).status).toBe(409);
    expect((await player.call('GET', '/notifications')).text).not.toContain('CHALLENGE');
    const other = await won();
    await world.award(other.id, other.betId);
    await world.rollBack(other.id);
    expect((await other.player.call('GET', '/notifications')).body).toEqual([]);
  });
});
