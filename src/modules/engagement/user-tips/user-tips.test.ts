import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { turnOnMfa, wrongCode } from '../../../../test/kit/accounts/totp.ts';
import { cashOf, type Player } from '../../../../test/kit/app.ts';
import {
  act,
  IN_FRANCE,
  limitsOf,
  newTipper,
  outcomeOf,
  setRate,
  startTips,
  tip,
} from '../../../../test/kit/engagement/tips.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { grantBonus } from '../../../../test/kit/money/bonus.ts';
import { transaction } from '../../../platform/database/db.ts';
import { units } from '../../../platform/money.ts';
import { setBanned } from '../../base/players/service.ts';

const app = fixture(() => startTips());
const boss = fixture(() => app.as('superadmin'));

const setTips = async (tips: object) =>
  expect((await boss.call('PATCH', '/admin/config/COMMON', { body: { tips } })).status).toBe(200);
const turnoverOf = ({ id }: Player) => app.services.rollover.remaining(app.db, id);
const requireTurnover = ({ id }: Player, usd: string) =>
  transaction(app.db, async (tx) => {
    await tx.selectFrom('players').select('user_id').where('user_id', '=', id).forUpdate().execute();
    await app.services.rollover.add(tx, { userId: id, usdAmount: units(usd) });
  });
const ban = ({ id }: Player, isBanned = true) =>
  transaction(app.db, async (tx) => {
    await tx.selectFrom('players').select('user_id').where('user_id', '=', id).forUpdate().execute();
    await setBanned(tx, id, isBanned);
  });
const exclude = async (player: Player) => {
  const excludeUntil = new Date(Date.now() + 400 * 86_400_000).toISOString();
  const { status } = await player.call('POST', '/user-limits/self-exclusion', { body: { excludeUntil } });
  expect(status).toBeLessThan(300);
};
const changeUser = ({ id }: Player, fields: object) =>
  app.db.updateTable('users').set(fields).where('id', '=', id).execute();
const listOf = async ({ call }: Player, query = '') => {
  const { status, body } = await call('GET', `/user-tips${query}`);
  expect(status).toBe(200);
  return body;
};

test("values a BTC tip in US dollars, adds a wagering requirement, and rejects a second tip above the recipient's limit", async () => {
  await setRate(app, 'BTC', '65000');
  const [sender, recipient] = [await newTipper(app), await newTipper(app)];
  await act(app, sender, 'SET_VIP_LEVEL', { level: 1 });
  await act(app, sender, 'SET_BALANCE', { currencyId: 'BTC', amount: '0.01' });
  const first = await tip(sender, recipient, { currencyId: 'BTC', amount: '0.0015' });
  expect([first.status, first.body]).toEqual([
    201,
    { id: expect.any(String), usdAmount: '97.5', balance: '0.0085' },
  ]);
  expect(await cashOf(recipient, 'BTC')).toBe('0.0015');
  expect(await turnoverOf(recipient)).toBe(units('29.25'));
  const second = await tip(sender, recipient, { currencyId: 'BTC', amount: '0.00004' });
  expect([outcomeOf(second), second.body.details]).toEqual(['403 TIP_LIMIT_REACHED', { side: 'RECEIVED' }]);
  expect([await cashOf(sender, 'BTC'), await cashOf(recipient, 'BTC')]).toEqual(['0.0085', '0.0015']);
  expect(await turnoverOf(recipient)).toBe(units('29.25'));
  expect(await limitsOf(sender)).toMatchObject({ sentTodayUsd: '97.5', sentLimitUsd: '1000' });
  expect(await limitsOf(recipient)).toMatchObject({
    receivedTodayUsd: '97.5',
    receivedLimitUsd: '100',
    sentTodayUsd: '0',
    blockers: ['ROLLOVER_OPEN'],
  });
});

test("books a tip as one entry with two postings, and shows staff one posting in each player's statement", async () => {
  const [sender, recipient] = [await newTipper(app, 10), await newTipper(app)];
  const { body } = await tip(sender, recipient, { amount: '2.5' });
  const entry = await app.db
    .selectFrom('ledger_entries')
    .selectAll()
    .where('key', '=', `tip:${body.id}`)
    .executeTakeFirstOrThrow();
  const search = async ({ id }: Player, type: string) =>
    (
      await boss.call('POST', '/admin/accounting/transactions', {
        body: { where: { userId: id, type }, sortBy: 'createdAt', sortOrder: 'desc', page: 1, take: 5 },
      })
    ).body.data;
  const same = { referenceType: 'tip', referenceId: body.id, amount: '2.5', currencyId: 'USDT', note: null };
  expect(await search(sender, 'TIP_SENT')).toMatchObject([
    { ...same, direction: 'OUT', balanceAfter: '7.5' },
  ]);
  expect(await search(recipient, 'TIP_RECEIVED')).toMatchObject([
    { ...same, direction: 'IN', balanceAfter: '2.5', actorId: sender.id },
  ]);
  expect(entry.actor_id).toBe(sender.id);
});

describe('refusals', () => {
  test('returns errors in the documented order as the caller fixes one problem after another', async () => {
    const [sender, recipient] = [await app.newPlayer(), await app.newPlayer()];
    const factor = await turnOnMfa(app, sender);
    await act(app, sender, 'SET_BALANCE', { currencyId: 'USDT', amount: '1.5' });
    await requireTurnover(sender, '10');
    await app.sql`insert into tip_days (user_id, day, sent_usd, received_usd)
      select v.id, (now() at time zone 'UTC')::date, sent, received from (values (${sender.id}::int4, 9900000000, 0), (${recipient.id}, 0, 9900000000)) v(id, sent, received)`.execute(
      app.db,
    );
    const grantId = await grantBonus(app, sender, { amount: '5', required: '50' });
    await changeUser(recipient, { is_staff: true });
    await ban(sender);
    await setTips({ isEnabled: false });
    const wanted: Record<string, unknown> = { amount: '0.99', currencyId: 'XXX' };
    const refusal = async (to: { username: string } = recipient) => {
      const answer = await tip(sender, to, wanted);
      return [outcomeOf(answer), answer.body.details] as const;
    };
    const code = async (to?: { username: string }) => (await refusal(to))[0];

    expect(await code({ username: 'nobody_at_all' })).toBe('404 USER_NOT_FOUND');
    expect(await code(sender)).toBe('400 TIP_TO_SELF');
    expect(await code({ username: sender.username.toUpperCase() })).toBe('400 TIP_TO_SELF');
    expect(await code()).toBe('404 CURRENCY_NOT_FOUND');
    wanted.currencyId = 'USDT';
    expect(await refusal()).toEqual([
      '400 AMOUNT_OUT_OF_RANGE',
      { currencyId: 'USDT', decimals: 6, minUsd: '1' },
    ]);
    for (const amount of ['0', '1.0000001', '0.999999', '999999999999']) {
      wanted.amount = amount;
      expect(await code()).toBe('400 AMOUNT_OUT_OF_RANGE');
    }
    wanted.amount = '2';
    expect(await code()).toBe('403 USER_BANNED');
    await ban(sender, false);
    expect(await code()).toBe('403 TIPS_DISABLED');
    await setTips({ isEnabled: true });
    expect(await code()).toBe('403 EMAIL_NOT_VERIFIED');
    await act(app, sender, 'VERIFY_EMAIL');
    expect(await code()).toBe('403 MFA_REQUIRED');
    wanted.mfaCode = wrongCode(factor.secret);
    expect(await code()).toBe('400 MFA_INVALID');
    wanted.mfaCode = await factor.code();
    expect(await refusal()).toEqual(['403 ROLLOVER_OPEN', { wagerRemainingUsd: '10' }]);
    await act(app, sender, 'COMPLETE_WAGERING');
    expect(await refusal()).toEqual([
      '403 ROLLOVER_OPEN',
      { grantId: String(grantId), wagerRemaining: '50', currencyId: 'USDT' },
    ]);
    expect((await sender.call('POST', `/promo/${grantId}/forfeit`, { body: {} })).status).toBeLessThan(300);
    expect(await refusal()).toEqual(['403 TIP_RECIPIENT_NOT_ELIGIBLE', undefined]);
    await changeUser(recipient, { is_staff: false });
    expect(await refusal()).toEqual(['403 TIP_LIMIT_REACHED', { side: 'SENT', remainingUsd: '1' }]);
    await act(app, sender, 'SET_VIP_LEVEL', { level: 1 });
    expect(await refusal()).toEqual(['403 TIP_LIMIT_REACHED', { side: 'RECEIVED' }]);
    await act(app, recipient, 'SET_VIP_LEVEL', { level: 1 });
    expect(await refusal()).toEqual(['400 INSUFFICIENT_BALANCE', { currencyId: 'USDT', available: '1.5' }]);
    await app.sql`delete from tip_days where user_id in (${sender.id}, ${recipient.id})`.execute(app.db);
    expect(await listOf(sender)).toMatchObject({ data: [], total: 0 });
    wanted.amount = '1.5';
    expect(await code()).toBe('201');
    // A code can be used only once.
    expect(await code()).toBe('400 MFA_INVALID');
    expect(await cashOf(sender)).toBe('0');
  });

  test('returns the same error for every ineligible recipient: banned, excluded, staff, test account, country', async () => {
    const sender = await newTipper(app, 100);
    const cases: Record<string, (player: Player) => Promise<unknown>> = {
      banned: (player) => ban(player),
      excluded: exclude,
      'of a blocked country': (player) => act(app, player, 'SET_COUNTRY', { country: 'JP' }),
      'of a country without tips': (player) => act(app, player, 'SET_COUNTRY', { country: 'FR' }),
      staff: (player) => changeUser(player, { is_staff: true }),
      'no test account': (player) => changeUser(player, { is_test: false }),
    };
    const block = (isBlocked: boolean) => boss.call('PATCH', '/admin/country/JP', { body: { isBlocked } });
    expect((await block(true)).status).toBe(200);
    await setTips({ byCountry: { FR: false, DE: true } });
    try {
      const answers = new Set<string>();
      for (const [name, make] of Object.entries(cases)) {
        const recipient = await app.newPlayer();
        await make(recipient);
        const { status, body } = await tip(sender, recipient);
        expect([name, status]).toEqual([name, 403]);
        answers.add(JSON.stringify({ ...body, requestId: '' }));
        if (name === 'staff' || name === 'no test account')
          await changeUser(recipient, { is_staff: false, is_test: true });
      }
      expect([...answers].map((text) => JSON.parse(text).code)).toEqual(['TIP_RECIPIENT_NOT_ELIGIBLE']);
      const german = await app.newPlayer();
      await act(app, german, 'SET_COUNTRY', { country: 'DE' });
      expect(outcomeOf(await tip(sender, german))).toBe('201');
    } finally {
      await block(false);
      await setTips({ byCountry: {} });
    }
  });

  test('rejects a tip from a sender who is excluded, in a blocked country, or linked to a country without tips', async () => {
    const [excluded, sender, recipient] = [
      await newTipper(app, 10),
      await newTipper(app, 10),
      await newTipper(app),
    ];
    await exclude(excluded);
    expect(outcomeOf(await tip(excluded, recipient))).toBe('403 SELF_EXCLUDED');
    const there = { 'x-forwarded-for': IN_FRANCE };
    await setTips({ byCountry: { FR: false } });
    try {
      expect(outcomeOf(await tip(sender, recipient, {}, there))).toBe('403 TIPS_DISABLED');
      expect(await limitsOf(sender, there)).toMatchObject({ enabled: false, blockers: ['TIPS_DISABLED'] });
      expect(await limitsOf(sender)).toMatchObject({ enabled: true, blockers: [] });
      await act(app, sender, 'SET_COUNTRY', { country: 'FR' });
      expect(outcomeOf(await tip(sender, recipient))).toBe('403 TIPS_DISABLED');
    } finally {
      await setTips({ byCountry: {} });
    }
    expect((await boss.call('PATCH', '/admin/country/FR', { body: { isBlocked: true } })).status).toBe(200);
    expect(outcomeOf(await tip(sender, recipient, {}, there))).toBe('403 AUTH_GEO_BLOCKED');
    expect((await boss.call('PATCH', '/admin/country/FR', { body: { isBlocked: false } })).status).toBe(200);
    expect(outcomeOf(await tip(sender, recipient, {}, there))).toBe('201');
  });

  test('rejects a tip when the exchange rate is stale', async () => {
    const [sender, recipient] = [await newTipper(app), await newTipper(app)];
    await act(app, sender, 'SET_BALANCE', { currencyId: 'SOL', amount: '10' });
    const age = (seconds: number, source: string) =>
      app.db
        .updateTable('exchange_rates')
        .set({ source, updated_at: new Date(Date.now() - seconds * 1000) })
        .where('currency_id', '=', 'SOL')
        .execute();
    const inSol = async () => outcomeOf(await tip(sender, recipient, { currencyId: 'SOL', amount: '0.1' }));
    await age(301, 'coinbase');
    await expect.poll(() => app.services.currencies.rateOf('SOL').stale).toBe(true);
    expect(await inSol()).toBe('409 RATE_STALE');
    await age(0, 'fixed');
    await expect.poll(() => app.services.currencies.rateOf('SOL').stale).toBe(false);
    expect(await inSol()).toBe('201');
  });

  test.each<[string, object]>([
    ['no amount', { amount: undefined }],
    ['an unknown field', { toVault: true }],
    ['an exponent', { amount: '1e1' }],
    ['a message of several lines', { message: 'one\ntwo' }],
    ['a message of 141 characters', { message: 'x'.repeat(141) }],
    ['an empty message', { message: '  ' }],
    ['a flag that is text', { isPublic: 'yes' }],
  ])('rejects a body with %s with 400', async (_, fields) => {
    const player = await app.newPlayer();
    expect(outcomeOf(await tip(player, player, fields))).toBe('400 VALIDATION_FAILED');
  });

  test('requires a session', async () => {
    for (const [method, path] of [
      ['POST', '/user-tips'],
      ['GET', '/user-tips'],
      ['GET', '/user-tips/limits'],
    ] as const)
      expect((await app.call(method, path)).status).toBe(401);
  });
});

test('books a tip once for a repeated idempotency key, and rejects the key with a different amount', async () => {
  const [sender, recipient] = [await newTipper(app, 10), await newTipper(app)];
  const headers = { 'idempotency-key': randomUUID() };
  const first = await tip(sender, recipient, {}, headers);
  expect(first.status).toBe(201);
  const again = await Promise.all(Array.from({ length: 5 }, () => tip(sender, recipient, {}, headers)));
  expect(again.map(({ status, body }) => [status, body])).toEqual(Array(5).fill([201, first.body]));
  expect(outcomeOf(await tip(sender, recipient, { amount: '3' }, headers))).toBe(
    '409 IDEMPOTENCY_KEY_REUSED',
  );
  // The response stays the same after the recipient has changed the username.
  await changeUser(recipient, { username: `x_${recipient.id}` });
  expect((await tip(sender, recipient, {}, headers)).body).toEqual(first.body);
  expect([await cashOf(sender), await cashOf(recipient)]).toEqual(['8', '2']);
  const refused = { 'idempotency-key': randomUUID() };
  expect(outcomeOf(await tip(sender, recipient, {}, refused))).toBe('404 USER_NOT_FOUND');
  await changeUser(recipient, { username: recipient.username });
  expect(outcomeOf(await tip(sender, recipient, {}, refused))).toBe('404 USER_NOT_FOUND');
});

describe('the recipient', () => {
  const eventsOf = ({ id }: Player) =>
    app.db
      .selectFrom('events')
      .select('data')
      .where('user_id', '=', id)
      .where('name', '=', 'tip.received')
      .execute();

  test.each([
    ['en', 'Tip received', 'has given you a tip of 2 USDT.'],
    ['de', 'Trinkgeld erhalten', 'hat Ihnen ein Trinkgeld von 2 USDT gegeben.'],
    ['es', 'Propina recibida', 'le ha dado una propina de 2 USDT.'],
  ])(
    'sends the recipient an event and a notification in their language: %s',
    async (language, title, words) => {
      const [sender, recipient] = [await newTipper(app, 10), await newTipper(app)];
      await changeUser(recipient, { language });
      const { body } = await tip(sender, recipient);
      const facts = { tipId: body.id, currencyId: 'USDT', amount: '2', from: sender.username };
      expect(await eventsOf(recipient)).toEqual([{ data: facts }]);
      expect(await eventsOf(sender)).toEqual([]);
      const { body: notes } = await recipient.call('GET', '/notifications');
      expect(notes).toMatchObject([
        {
          type: 'TIP',
          title,
          body: `${sender.username} ${words}`,
          payload: { code: 'tip.received', ...facts },
        },
      ]);
    },
  );

  test('never shows the recipient the name of a sender who hides it', async () => {
    const [sender, recipient] = [await newTipper(app, 10), await newTipper(app)];
    await changeUser(sender, { is_private: true });
    expect((await tip(sender, recipient, { message: 'good luck' })).status).toBe(201);
    expect((await eventsOf(recipient))[0]!.data).toMatchObject({ from: null });
    const { text } = await recipient.call('GET', '/notifications');
    expect(text).toContain('Another player has given you a tip of 2 USDT.');
    const list = await listOf(recipient);
    expect(list.data[0].user).toMatchObject({ id: null, username: 'Incognito', avatar: null });
    expect(text + JSON.stringify(list)).not.toContain(sender.username);
  });
});

describe('the list', () => {
  test('returns sent and received tips with the name of the other player, in ascending or descending order', async () => {
    const [one, two] = [await newTipper(app, 50), await newTipper(app)];
    for (const [amount, message, isPublic] of [
      ['3', 'first', true],
      ['9', undefined, false],
      ['6', 'third', false],
    ] as const)
      expect((await tip(one, two, { amount, message, isPublic })).status).toBe(201);
    await act(app, two, 'COMPLETE_WAGERING');
    expect((await tip(two, one, { amount: '7' })).status).toBe(201);
    const shown = async (player: Player, query: string) =>
      (await listOf(player, query)).data.map((row: any) => `${row.direction} ${row.amount}`);
    expect(await shown(one, '')).toEqual(['RECEIVED 7', 'SENT 6', 'SENT 9', 'SENT 3']);
    expect(await shown(two, '?sortOrder=asc')).toEqual(['RECEIVED 3', 'RECEIVED 9', 'RECEIVED 6', 'SENT 7']);
    expect(await shown(one, '?sortBy=usdAmount')).toEqual(['SENT 9', 'RECEIVED 7', 'SENT 6', 'SENT 3']);
    expect(await shown(one, '?direction=SENT&sortBy=usdAmount&sortOrder=asc')).toEqual([
      'SENT 3',
      'SENT 6',
      'SENT 9',
    ]);
    expect(await shown(one, '?direction=RECEIVED')).toEqual(['RECEIVED 7']);
    expect(await listOf(one, '?take=3&page=2')).toMatchObject({
      total: 4,
      totalPages: 2,
      data: [{ amount: '3' }],
    });
    expect(await listOf(one, '?page=9')).toMatchObject({ total: 4, data: [] });
    expect((await listOf(two, '?sortOrder=asc&take=1')).data).toEqual([
      {
        id: expect.any(String),
        direction: 'RECEIVED',
        user: expect.objectContaining({ id: one.id, username: one.username }),
        currencyId: 'USDT',
        amount: '3',
        usdAmount: '3',
        message: 'first',
        isPublic: true,
        createdAt: expect.stringMatching(/Z$/),
      },
    ]);
    for (const query of ['?take=21', '?sortBy=amount', '?direction=BOTH', '?user=1'])
      expect((await one.call('GET', `/user-tips${query}`)).status).toBe(400);
  });
});

describe('limits', () => {
  test('returns the remaining amounts and all reasons why the player cannot send a tip', async () => {
    const player = await app.newPlayer();
    await changeUser(player, { email_verified: false });
    const fresh = await limitsOf(player);
    expect(fresh).toEqual({
      enabled: true,
      minUsd: '1',
      sentTodayUsd: '0',
      sentLimitUsd: '100',
      receivedTodayUsd: '0',
      receivedLimitUsd: '100',
      resetsAt: new Date((Math.floor(Date.now() / 86_400_000) + 1) * 86_400_000).toISOString(),
      blockers: ['EMAIL_NOT_VERIFIED', 'INSUFFICIENT_BALANCE'],
    });
    await act(app, player, 'VERIFY_EMAIL');
    await act(app, player, 'SET_BALANCE', { currencyId: 'USDT', amount: '500' });
    expect((await limitsOf(player)).blockers).toEqual([]);
    await grantBonus(app, player, { amount: '5', required: '50' });
    expect((await limitsOf(player)).blockers).toEqual(['ROLLOVER_OPEN']);
    await act(app, player, 'SET_BALANCE', { currencyId: 'SOL', amount: '1' });
    expect((await limitsOf(player)).blockers).toEqual([]);
    const recipient = await newTipper(app);
    await act(app, recipient, 'SET_VIP_LEVEL', { level: 2 });
    await setRate(app, 'SOL', '99.5');
    expect(outcomeOf(await tip(player, recipient, { currencyId: 'SOL', amount: '1' }))).toBe('201');
    expect(await limitsOf(player)).toMatchObject({
      sentTodayUsd: '99.5',
      blockers: ['ROLLOVER_OPEN', 'TIP_LIMIT_REACHED'],
    });
    expect(await limitsOf(recipient)).toMatchObject({ receivedTodayUsd: '99.5', receivedLimitUsd: '5000' });
    await requireTurnover(player, '1');
    await exclude(player);
    expect((await limitsOf(player)).blockers).toEqual([
      'SELF_EXCLUDED',
      'ROLLOVER_OPEN',
      'TIP_LIMIT_REACHED',
    ]);
  });

  test('resets the limits on the next day, and applies new settings to the next tip', async () => {
    const [sender, recipient] = [await newTipper(app, 500), await newTipper(app)];
    const send = async (amount: string) => outcomeOf(await tip(sender, recipient, { amount }));
    expect(await send('100')).toBe('201');
    expect(await send('1')).toBe('403 TIP_LIMIT_REACHED');
    const yesterday = app.sql`(created_at - interval '1 day')`;
    const ofBoth = app.sql`sender_id = ${sender.id}`;
    await app.sql`update tips set created_at = ${yesterday} where ${ofBoth}`.execute(app.db);
    await app.sql`update tip_days set day = day - 1 where user_id in (${sender.id}, ${recipient.id})`.execute(
      app.db,
    );
    expect(await limitsOf(sender)).toMatchObject({ sentTodayUsd: '0', blockers: [] });
    await setTips({ dailyLimitUsd: '50', minUsd: '5', recipientTurnoverPercent: 0 });
    try {
      await act(app, recipient, 'COMPLETE_WAGERING');
      expect(await send('4.99')).toBe('400 AMOUNT_OUT_OF_RANGE');
      expect(await send('50')).toBe('201');
      expect(await send('5')).toBe('403 TIP_LIMIT_REACHED');
      expect(await turnoverOf(recipient)).toBe(0n);
      expect(await limitsOf(sender)).toMatchObject({ minUsd: '5', sentLimitUsd: '50' });
    } finally {
      await setTips({ dailyLimitUsd: '100', minUsd: '1', recipientTurnoverPercent: 30 });
    }
  });

  test('publishes the tip limits for players, but not those for staff', async () => {
    const { body } = await app.call('GET', '/config/USER');
    expect(body.tips).toEqual({
      isEnabled: true,
      byCountry: {},
      minUsd: '1',
      dailyLimitUsd: '100',
      dailyLimitWagerPercent: 10,
      recipientTurnoverPercent: 30,
    });
    expect(body.adminTips).toBeUndefined();
  });
});
