import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { startSkins } from '../../../../test/kit/money/skins.ts';
import { startDeposit } from './deposit.ts';
import { createSkins } from './service.ts';

const skins = fixture(() => startSkins({ TRUSTED_PROXIES: '127.0.0.1' }));

const key = () => ({ 'idempotency-key': randomUUID() });
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('opening a session at the marketplace', () => {
  test("sends the player's account and return pages to the marketplace, and returns the address of the session", async () => {
    const player = await skins.seller();
    const { siteOrigins, SITE_URL } = skins.app.config;
    const successUrl = `${siteOrigins[0]}/wallet`;
    const { status, body } = await skins.start(player, { successUrl, minAmountUsd: '5.50' });
    expect([status, body]).toEqual([
      201,
      {
        depositId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        url: `${skins.outside.url}/skins/trade/${body.transactionId}`,
        transactionId: expect.any(String),
        expiresAt: isoTime,
      },
    ]);
    const trade = (await skins.trades()).find(({ reference }) => reference === body.depositId);
    expect(trade).toMatchObject({
      transactionId: body.transactionId,
      request: {
        game: 'cs2',
        platformId: expect.stringMatching(/^7656119/),
        tradeLink: expect.stringContaining('https://platform.example/'),
        minAmountUsd: '5.5',
        successUrl,
        failUrl: SITE_URL,
      },
    });
    expect(await skins.seen(player, body.depositId)).toEqual({
      id: body.depositId,
      status: 'PENDING',
      items: [],
      usdAmount: null,
      creditedAmount: null,
      currencyId: 'USDT',
      holdUntil: null,
      failReason: null,
    });
  });

  test('opens only one session when 20 requests with the same key arrive concurrently at two processes', async () => {
    const player = await skins.seller();
    const headers = key();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        skins.start(player, {}, { headers }, i % 2 ? skins.second : skins.app),
      ),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const { depositId } = answers[0]!.body;
    expect((await skins.trades()).filter(({ reference }) => reference === depositId)).toHaveLength(1);
    const rows = skins.app.db.selectFrom('skin_deposits').select('id').where('user_id', '=', player.id);
    expect(await rows.execute()).toEqual([{ id: depositId }]);
    expect(codeOf(await skins.start(player, { game: 'rust' }, { headers }))).toBe(
      '409 IDEMPOTENCY_KEY_REUSED',
    );
  });

  test.each(['down', 'garbage'])(
    'returns 503 when the marketplace is %s, and returns the same session to a repeated request',
    async (mode) => {
      const player = await skins.seller();
      const headers = key();
      const before = (await skins.trades()).length;
      await skins.outside.behave('skins', mode);
      try {
        const refused = await skins.start(player, {}, { headers });
        expect([codeOf(refused), refused.headers.has('retry-after')]).toEqual([
          '503 SERVICE_UNAVAILABLE',
          true,
        ]);
      } finally {
        await skins.outside.behave('skins', 'ok');
      }
      const answer = await skins.start(player, {}, { headers });
      expect(answer.status).toBe(201);
      expect((await skins.trades()).length).toBe(before + 1);
      expect((await skins.start(player, {}, { headers })).body).toEqual(answer.body);
    },
  );

  test('opens no session for a player who is excluded before the request is repeated', async () => {
    const player = await skins.seller();
    const headers = key();
    await skins.outside.behave('skins', 'down');
    try {
      expect(codeOf(await skins.start(player, {}, { headers }))).toBe('503 SERVICE_UNAVAILABLE');
    } finally {
      await skins.outside.behave('skins', 'ok');
    }
    await skins.exclude(player);
    expect(codeOf(await skins.start(player, {}, { headers }))).toBe('403 SELF_EXCLUDED');
  });

  test('returns no address to a player who is excluded during the request to the marketplace', async () => {
    const player = await skins.seller();
    const headers = key();
    const deps = {
      ...skins.app.services.payments,
      marketplace: {
        async open({ reference }: { reference: string }) {
          await skins.exclude(player);
          const expiresAt = new Date(Date.now() + 60_000).toISOString();
          return { transactionId: `t-${reference}`, url: 'https://market.example/', expiresAt };
        },
      },
    };
    const seller = { userId: player.id, ip: '', key: headers['idempotency-key'] };
    await expect(startDeposit(deps, seller, { currencyId: 'USDT', game: 'cs2' })).rejects.toMatchObject({
      code: 'SELF_EXCLUDED',
    });
    expect(codeOf(await skins.start(player, {}, { headers }))).toBe('403 SELF_EXCLUDED');
  });
});

describe('rejected requests', () => {
  test('rejects players without a platform account or a trade link', async () => {
    expect(codeOf(await skins.start(await skins.app.newPlayer()))).toBe('409 TRADE_LINK_REQUIRED');
    for (const missing of ['platform_id', 'platform_trade_link']) {
      const player = await skins.seller();
      const users = skins.app.db.updateTable('users').set({ [missing]: null });
      await users.where('id', '=', player.id).execute();
      expect(codeOf(await skins.start(player))).toBe('409 TRADE_LINK_REQUIRED');
    }
  });

  test('rejects unknown currencies and games, invalid amounts and return pages on other sites', async () => {
    const player = await skins.seller();
    const codes = async (fields: object) => codeOf(await skins.start(player, fields));
    expect(await codes({ currencyId: 'NONE' })).toBe('404 CURRENCY_NOT_FOUND');
    expect(await codes({ game: 'chess' })).toBe('400 VALIDATION_FAILED');
    expect(await codes({ minAmountUsd: '0.000000001' })).toBe('400 AMOUNT_OUT_OF_RANGE');
    expect(await codes({ successUrl: 'https://evil.example/' })).toBe('400 VALIDATION_FAILED');
    const { body } = await skins.start(player, { failUrl: '//evil.example' });
    expect(body.details.fields).toEqual([{ path: 'failUrl', message: 'must be a page of this site' }]);
  });

  test('rejects players who may not deposit', async () => {
    const excluded = await skins.seller();
    await skins.exclude(excluded);
    expect(codeOf(await skins.start(excluded))).toBe('403 SELF_EXCLUDED');
    const limited = await skins.seller();
    await skins.limit(limited, '0');
    expect(codeOf(await skins.start(limited))).toBe('403 LIMIT_REACHED');

    const admin = await skins.app.as('superadmin');
    const change = async (path: string, body: object) =>
      expect((await admin.call('PATCH', path, { body })).status).toBe(200);
    const player = await skins.seller();
    const german = { headers: { 'x-forwarded-for': '5.9.0.1' } };
    await change('/admin/country/DE', { isBlocked: true });
    expect(codeOf(await skins.start(player, {}, german))).toBe('403 AUTH_GEO_BLOCKED');
    await change('/admin/config/WITHDRAWALS', { kycDepositThresholdUsd: '0' });
    expect(codeOf(await skins.start(player))).toBe('403 KYC_REQUIRED');
    await change('/admin/config/WITHDRAWALS', { kycDepositThresholdUsd: null });
    await change('/admin/config/COMMON', { isDepositOpen: false });
    expect(codeOf(await skins.start(player))).toBe('409 DEPOSIT_DISABLED');
    await change('/admin/config/COMMON', { isDepositOpen: true });
    expect((await skins.start(player)).status).toBe(201);
  });

  test('rejects all requests and webhooks when no marketplace is configured', async () => {
    const { payments } = skins.app.services;
    const config = { ...payments.config, SKINS_API_URL: undefined };
    const deps = { ...payments, config, webhooks: { ...payments.webhooks, on: () => undefined } };
    const { marketplace, receive } = createSkins(deps);
    const seller = { userId: 1, ip: '127.0.0.1', key: undefined };
    const started = startDeposit({ ...deps, marketplace }, seller, { currencyId: 'USDT', game: 'cs2' });
    await expect(started).rejects.toMatchObject({ code: 'DEPOSIT_DISABLED', status: 409 });
    const received = receive('sandbox', { raw: Buffer.from('{}'), headers: {} });
    await expect(received).rejects.toMatchObject({ code: 'PROVIDER_NOT_FOUND' });
  });

  test('rejects anonymous requests, unknown and malformed ids, and the ids of other players', async () => {
    const anonymous = await skins.app.call('POST', '/payments/skins/deposit', { body: {} });
    expect(codeOf(anonymous)).toBe('401 UNAUTHORIZED');
    const { depositId } = await skins.opened();
    const other = await skins.seller();
    for (const id of [depositId, randomUUID(), '1', 'x'.repeat(100)])
      expect(codeOf(await other.call('GET', `/payments/skins/deposit/${id}`))).toBe('404 DEPOSIT_NOT_FOUND');
    expect(codeOf(await skins.app.call('GET', `/payments/skins/deposit/${depositId}`))).toBe(
      '401 UNAUTHORIZED',
    );
  });
});
