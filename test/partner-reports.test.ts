/** Sends unusual but correctly signed reports from all partners over HTTP. They must be booked or stored, never rejected. */
import { createHmac, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { numeral } from '../src/platform/exact-json.ts';
import { type Answer, cashOf, type Player, startApp } from './kit/app.ts';
import { crmCall } from './kit/backoffice/crm.ts';
import { fixture } from './kit/fixture.ts';
import { sportsbookKey } from './kit/games/sportsbook.ts';
import {
  aHash,
  giveAddress,
  NOWPAYMENTS_ENV,
  notifyPayment,
  paymentTo,
  tell,
  webhookOf,
} from './kit/money/deposits.ts';
import { proofOf } from './kit/money/webhooks.ts';

const app = fixture(() =>
  startApp({
    env: {
      ...NOWPAYMENTS_ENV,
      PAYMENT_API_URL: 'http://127.0.0.1:9',
      KYC_PROVIDER: 'sandbox',
      KYC_API_URL: 'http://127.0.0.1:9',
      SKINS_API_URL: 'http://127.0.0.1:9',
    },
  }),
);
const key = fixture(() => sportsbookKey(app));

const json = { 'content-type': 'application/json' };
const signed = (path: string, text: string) =>
  app.call('POST', path, { raw: text, headers: { ...json, ...proofOf(app, path, text) } });
const findings = (subject: string) =>
  app.db.selectFrom('provider_findings').selectAll().where('subject', '=', subject).execute();
const metrics = () => app.services.metrics.registry.metrics();

type Odd = [name: string, spell: (body: any) => unknown];
/** Unusual formats of the same report. All of them have the same effect as the plain one. */
const SPELLINGS: Odd[] = [
  ['an unknown field', (body) => ({ ...body, brandNewField: { a: 1 } })],
  ['an array of one', (body) => [body]],
];

test('books a sportsbook settlement in any number format and with unknown fields', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  const send = (body: unknown, raw?: string) =>
    app.call('POST', `/sportsbook/external/wallet/${player.id}/transactions`, {
      raw: raw ?? JSON.stringify(body),
      headers: { ...key, ...json },
    });
  const at = '2026-11-21T09:30:00.000Z';
  const bodyOf = (type: string, reason: string, betId: string, cash: unknown) => ({
    id: randomUUID() as unknown,
    currency: 'USDT',
    type,
    initiatedAt: at,
    createdAt: at,
    context: { product: 'sport', reason, betId } as Record<string, unknown>,
    amountBreakdown: { cash },
  });
  const odd: Odd[] = [
    ...SPELLINGS,
    ['a type in different letter case', (body) => ({ ...body, type: 'Deposit' })],
    ['a currency in lower case', (body) => ({ ...body, currency: 'usdt' })],
    ['a numeric id', (body) => ({ ...body, id: 9_007_199_254_740_000 })],
    [
      'an amount with 18 decimals',
      (body) => ({ ...body, amountBreakdown: { cash: '2.000000000000000001' } }),
    ],
    ['an amount as an exponent', (body) => JSON.stringify(body).replace('"cash":2', '"cash":0.2E+1')],
    ['an amount in an array', (body) => ({ ...body, amountBreakdown: { cash: ['2'] } })],
    ['no times', ({ createdAt: _, initiatedAt: __, ...body }) => body],
    ['a null parent', (body) => ({ ...body, context: { ...body.context, parentId: null } })],
    ['an empty parent', (body) => ({ ...body, context: { ...body.context, parentId: '' }, platform: '' })],
    ['a very long context', (body) => ({ ...body, context: { ...body.context, legs: 'x'.repeat(20_000) } })],
    [
      'an unreadable part that moves no money',
      (body) => ({ ...body, amountBreakdown: { cash: 2, locked: '?' } }),
    ],
  ];
  let cash = 100;
  for (const [name, spell] of odd) {
    const betId = randomUUID();
    expect((await send(bodyOf('withdrawal', 'bet', betId, 1))).status).toBe(200);
    const spelt = spell(bodyOf('deposit', 'settle', betId, 2));
    const raw = typeof spelt === 'string' ? spelt : JSON.stringify(spelt);
    cash += 1;
    for (const isRepeated of [false, true]) {
      const answer = await send(undefined, raw);
      expect([answer.status, answer.body.alreadyProcessed, answer.body.balances?.[0].cash], name).toEqual([
        200,
        isRepeated,
        String(cash),
      ]);
    }
  }
  expect(await metrics()).toMatch(
    /croupier_partner_unknown_fields_total\{partner="sportsbook",field="brandNewField"/,
  );
  await app.assertInvariants();
});

test('books a report only once, whatever notation its numeric id uses', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  const betId = randomUUID();
  const path = `/sportsbook/external/wallet/${player.id}/transactions`;
  const settle = (id: unknown, type: string, reason: string, cash: number) =>
    app.call('POST', path, {
      body: {
        id,
        currency: 'USDT',
        type,
        initiatedAt: '2026-11-21T09:30:00.000Z',
        createdAt: '2026-11-21T09:30:00.000Z',
        context: { product: 'sport', reason, betId },
        amountBreakdown: { cash },
      },
      headers: key,
    });
  expect((await settle(randomUUID(), 'withdrawal', 'bet', 10)).status).toBe(200);
  const id = 7_000_000_000 + player.id;
  const spellings = [`${id}`, `${id}.0`, `${id}0e-1`, `${id / 10}e1`];
  for (const spelling of spellings)
    expect((await settle(numeral(spelling), 'deposit', 'settle', 5)).status, spelling).toBe(200);
  expect(await cashOf(player)).toBe('95');

  const address = await giveAddress(app.db, player.id);
  for (const spelling of spellings)
    await notifyPayment(app, paymentTo(address, { payment_id: numeral(spelling), actually_paid: 3 }));
  expect(await cashOf(player)).toBe('98');
  await app.assertInvariants();
});

test('rejects a sportsbook transaction of an unknown type that may request a stake', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  for (const type of ['wager', 'purchase', 'PlaceCombo', 'spend', 'lock-funds', 'betslip']) {
    const body = {
      id: randomUUID(),
      currency: 'USDT',
      type,
      initiatedAt: '2026-11-21T09:30:00.000Z',
      createdAt: '2026-11-21T09:30:00.000Z',
      context: { product: 'sport', reason: 'combo', betId: randomUUID() },
      amountBreakdown: { cash: 5 },
    };
    const path = `/sportsbook/external/wallet/${player.id}/transactions`;
    const answer = await app.call('POST', path, { body, headers: key });
    expect([answer.status, answer.body.code], type).toEqual([400, 'error.request.invalid']);
    expect(await findings(body.id)).toEqual([]);
  }
});

test('stores sportsbook reports that cannot be booked as findings, which staff can close', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  const at = '2026-11-21T09:30:00.000Z';
  const good = (type: string, reason: string) => ({
    id: randomUUID(),
    currency: 'USDT',
    type,
    initiatedAt: at,
    createdAt: at,
    context: { product: 'sport', reason, betId: randomUUID() },
    amountBreakdown: { cash: 5 as unknown },
  });
  const odd: [name: string, body: { id: string }, reason: string][] = [
    ['an unknown type', good('loyaltyPayout', 'season'), 'UNKNOWN_TYPE'],
    ['a deposit with an unknown reason', good('deposit', 'goodwill'), 'UNKNOWN_TYPE'],
    [
      'an unreadable amount',
      { ...good('deposit', 'settle'), amountBreakdown: { cash: 'many' } } as never,
      'UNREADABLE',
    ],
    [
      'an empty amount',
      { ...good('deposit', 'settle'), amountBreakdown: { cash: '' } } as never,
      'UNREADABLE',
    ],
    ['no amount', { ...good('deposit', 'settle'), amountBreakdown: {} } as never, 'UNREADABLE'],
    [
      'an amount that no account can hold',
      { ...good('award', 'x'), amountBreakdown: { cash: '1e30' } } as never,
      'UNREADABLE',
    ],
    ['an unknown currency', { ...good('deposit', 'settle'), currency: 'NONE' } as never, 'UNBOOKABLE'],
    ['a rollback without its parent', good('rollback', 'rollback'), 'UNREADABLE'],
  ];
  const staff = await app.as({ permissions: ['casino.read', 'casino.write'] });
  for (const [name, body, reason] of odd) {
    for (let i = 0; i < 2; i++) {
      const answer = await app.call('POST', `/sportsbook/external/wallet/${player.id}/transactions`, {
        body,
        headers: key,
      });
      expect([answer.status, answer.body.id], name).toEqual([200, body.id]);
    }
    const [finding, ...more] = await findings(body.id);
    expect(more).toEqual([]);
    expect(finding, name).toMatchObject({ kind: 'UNBOOKED_REPORT', user_id: player.id, facts: { reason } });
    const closed = await staff.call('POST', `/admin/casino/findings/${finding!.id}/close`, {
      body: { reason: 'paid by hand' },
    });
    expect(closed.body, name).toMatchObject({ status: 'CLOSED', provider: 'sportsbook' });
  }
  expect(await cashOf(player)).toBe('100');
  expect(await metrics()).toMatch(/croupier_partner_unknown_types_total\{partner="sportsbook",type="/);
});

/** Creates a player who is registered at the identity provider. */
async function applicant() {
  const player = await app.newPlayer();
  const body = {
    firstName: 'Ada',
    lastName: 'Lee',
    birthDate: '1990-02-28',
    country: 'DE',
    city: 'Köln',
    address: 'Weg 1',
    postalCode: '50667',
  };
  expect((await player.call('POST', '/kyc/basic', { body })).status).toBe(201);
  const applicantId = randomUUID();
  await app.db
    .insertInto('kyc_applicants')
    .values({ provider: 'sandbox', user_id: player.id, applicant_id: applicantId })
    .execute();
  return { player, applicantId };
}
const tierOf = async (player: Player) => {
  const { body } = await player.call('GET', '/kyc');
  return body.tiers.find(({ tier }: { tier: string }) => tier === 'IDENTITY').status;
};

test('applies identity reports in any format, and never approves a player on an unknown result', async () => {
  const odd: [...Odd, due: string][] = [
    ...SPELLINGS.map(([name, spell]): [...Odd, string] => [name, spell, 'APPROVED']),
    ['a user id as text', (body) => ({ ...body, userId: String(body.userId) }), 'APPROVED'],
    ['names in lower case', (body) => ({ ...body, status: 'approved', tier: 'identity' }), 'APPROVED'],
    [
      'empty texts',
      (body) => ({ ...body, expiresAt: '', moderationComment: '', rejectType: '' }),
      'APPROVED',
    ],
    ['a country in another format', (body) => ({ ...body, documentCountry: 'nld' }), 'APPROVED'],
    ['an unreadable country', (body) => ({ ...body, documentCountry: { iso: 'NL' } }), 'APPROVED'],
    ['an unknown result', (body) => ({ ...body, checks: [{ name: 'face', result: 'UNSURE' }] }), 'PENDING'],
    ['an unknown status', (body) => ({ ...body, status: 'PRE_APPROVED' }), 'NONE'],
    ['an unknown tier', (body) => ({ ...body, tier: 'ALL' }), 'NONE'],
    ['no event id', ({ eventId: _, ...body }) => body, 'NONE'],
  ];
  for (const [name, spell, due] of odd) {
    const { player, applicantId } = await applicant();
    const body = {
      eventId: randomUUID(),
      applicantId,
      userId: player.id,
      tier: 'IDENTITY',
      status: 'APPROVED',
      occurredAt: new Date().toISOString(),
    };
    const text = JSON.stringify(spell(body));
    for (let i = 0; i < 2; i++) expect((await signed('/webhooks/kyc/sandbox', text)).status, name).toBe(200);
    expect(await tierOf(player), name).toBe(due);
  }
  const stored = await app.db
    .selectFrom('provider_findings')
    .select('facts')
    .where('subject', 'like', 'kyc:%')
    .execute();
  expect(stored).toHaveLength(3);
  // Identity reports contain personal data, which findings do not store.
  expect(JSON.stringify(stored)).not.toContain('applicantId');
  const counted = await metrics();
  for (const type of ['UNSURE', 'PRE_APPROVED', 'ALL'])
    expect(counted).toContain(`croupier_partner_unknown_types_total{partner="sandbox",type="${type}"`);
});

test('credits skins in any format, and stores a finding when digits were cut off', async () => {
  const odd: Odd[] = [
    ...SPELLINGS,
    ['a number', (body) => ({ ...body, usdAmount: 5 })],
    ['an exponent', (body) => JSON.stringify(body).replace('"usdAmount":"5"', '"usdAmount":50E-1')],
    ['18 decimals', (body) => ({ ...body, usdAmount: '5.000000000000000001' })],
    ['a status in lower case', (body) => ({ ...body, status: 'success' })],
    ['empty texts', (body) => ({ ...body, holdUntil: '', failReason: '' })],
    [
      'an item with an unknown field',
      (body) => ({ ...body, items: [{ name: 'x', priceUsd: 5, wear: 0.1 }] }),
    ],
  ];
  for (const [name, spell] of odd) {
    const player = await app.newPlayer();
    const transaction_id = randomUUID();
    const row = { id: randomUUID(), user_id: player.id, currency_id: 'USDT', game: 'cs2', transaction_id };
    const pages = {
      url: 'https://x.example',
      expires_at: new Date(Date.now() + 60_000),
      success_url: 'https://x.example',
      fail_url: 'https://x.example',
    };
    await app.db
      .insertInto('skin_deposits')
      .values({ ...row, ...pages })
      .execute();
    const occurredAt = new Date().toISOString();
    const spelt = spell({ transactionId: transaction_id, status: 'SUCCESS', usdAmount: '5', occurredAt });
    const text = typeof spelt === 'string' ? spelt : JSON.stringify(spelt);
    for (let i = 0; i < 2; i++)
      expect((await signed('/webhooks/skins/sandbox', text)).status, name).toBe(200);
    expect(await cashOf(player), name).toBe('5');
    const cut = await findings(`skins:${transaction_id}`);
    expect(
      cut.map(({ kind }) => kind),
      name,
    ).toEqual(name === '18 decimals' ? ['AMOUNT_CUT'] : []);
  }
});

test('credits deposits in any format, and leaves deposits with an unknown status open', async () => {
  const odd: [...Odd, cash: string][] = [
    ...SPELLINGS.map(([name, spell]): [...Odd, string] => [name, spell, '25']),
    ['a number', (body) => ({ ...body, amount: 25 }), '25'],
    ['an exponent', (body) => JSON.stringify(body).replace('"amount":"25"', '"amount":2.5e1'), '25'],
    ['18 decimals', (body) => ({ ...body, amount: '25.000000000000000001' }), '25'],
    ['counts as text', (body) => ({ ...body, confirmations: '20', outputIndex: '0' }), '25'],
    ['empty texts', (body) => ({ ...body, payMemo: '' }), '25'],
    ['different letter case', (body) => ({ ...body, status: 'completed', currencyId: 'usdt' }), '25'],
    ['an unknown status', (body) => ({ ...body, status: 'BRIDGED' }), '0'],
    ['an unreadable amount', (body) => ({ ...body, amount: 'much' }), '0'],
  ];
  for (const [name, spell, cash] of odd) {
    const player = await app.newPlayer();
    const address = await giveAddress(app.db, player.id);
    const spelt = spell(webhookOf(address, { txHash: aHash() }));
    const text = typeof spelt === 'string' ? spelt : JSON.stringify(spelt);
    const path = '/webhooks/payments/sandbox/deposit';
    for (let i = 0; i < 2; i++) expect((await signed(path, text)).status, name).toBe(200);
    expect(await cashOf(player), name).toBe(cash);
  }
  expect(await metrics()).toContain('croupier_partner_unknown_types_total{partner="sandbox",type="BRIDGED"');
});

test('credits deposits from NOWPayments reports in any format, and the difference when a later report has a higher amount', async () => {
  const player = await app.newPlayer();
  const address = await giveAddress(app.db, player.id);
  const body = paymentTo(address, {
    payment_status: 'Partially_Paid',
    actually_paid: '10',
    payin_extra_id: '',
  });
  const steps = [
    body,
    { ...body, payment_status: 'FINISHED', actually_paid: '2.5e1', updated_at: Date.now() + 1000 },
  ];
  for (const step of [...steps, steps[1]!]) expect((await notifyPayment(app, step)).status).toBe(200);
  expect(await cashOf(player)).toBe('25');
  const listed = paymentTo(address, { payment_status: ['finished'], actually_paid: 4 });
  expect((await notifyPayment(app, listed)).status).toBe(200);
  expect(await cashOf(player)).toBe('29');
  for (const payment_status of ['constructor', 'toString', '__proto__', ''])
    expect((await notifyPayment(app, paymentTo(address, { payment_status, actually_paid: 7 }))).status).toBe(
      200,
    );
  expect(await cashOf(player)).toBe('29');
});

test('stores payout reports in any format', async () => {
  const body = {
    externalId: 'x1',
    reference: randomUUID(),
    status: 'SENT',
    occurredAt: new Date().toISOString(),
  };
  const odd: Odd[] = [
    ...SPELLINGS,
    ['an unknown status', () => ({ ...body, status: 'REPLACED' })],
    ['a count as text', () => ({ ...body, confirmations: '3', networkFee: 1e-7, failedReason: '' })],
    ['no reference', () => ({ ...body, reference: undefined })],
    ['no JSON', () => '{"reference":'],
  ];
  for (const [name, spell] of odd) {
    const spelt = spell(body);
    const text = typeof spelt === 'string' ? spelt : JSON.stringify(spelt);
    expect((await signed('/webhooks/payments/sandbox/withdrawal', text)).status, name).toBe(200);
  }
  expect(await metrics()).toContain('croupier_partner_unknown_types_total{partner="sandbox",type="REPLACED"');
});

test('stores consents with unknown types and fields, and treats contradictory consents as not given', async () => {
  const call = crmCall(app);
  const consent = (type: string, opted_in: unknown) => ({ type, opted_in });
  const cases: [name: string, body: unknown, due: string[]][] = [
    ['an unknown type', { consents: [consent('fax', true), consent('sms', true)] }, ['email', 'sms']],
    ['an unknown field', { consents: [{ ...consent('sms', true), since: 1 }], brand: 'x' }, ['email', 'sms']],
    ['a decision as text', { consents: [consent('sms', 'TRUE'), consent('email', '0')] }, ['sms']],
    ['a type in different letter case', { consents: [consent('EMAIL', false)] }, []],
    ['one outside a list', { consents: consent('sms', true) }, ['email', 'sms']],
    ['a type twice', { consents: [consent('sms', true), consent('sms', false)] }, ['email']],
    ['a body in a list', [{ consents: [consent('sms', 1)] }], ['email', 'sms']],
  ];
  for (const [name, body, due] of cases) {
    const { id } = await app.newPlayer();
    const answer: Answer = await call('POST', `/marketing/userconsents/${id}`, {
      raw: JSON.stringify(body),
      headers: json,
    });
    expect(answer.status, name).toBe(200);
    const { consents } = (await call('GET', `/marketing/userconsents/${id}`)).body;
    const agreed = consents.flatMap(({ type, opted_in }: any) => (opted_in ? [type] : []));
    expect(agreed, name).toEqual(due);
  }
  const counted = await metrics();
  expect(counted).toContain('croupier_partner_unknown_types_total{partner="crm",type="fax"');
  expect(counted).toContain('croupier_partner_unknown_fields_total{partner="crm",field="since"');
});

test('counts at most 20 unknown field names per partner', async () => {
  const player = await app.newPlayer();
  const address = await giveAddress(app.db, player.id);
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`field_${n}`, n]));
  expect((await tell(app, webhookOf(address, many))).status).toBe(200);
  const counted = await metrics();
  const names = counted.match(/croupier_partner_unknown_fields_total\{partner="sandbox",/g) ?? [];
  expect(names.length).toBeLessThanOrEqual(21);
  expect(counted).toContain('croupier_partner_unknown_fields_total{partner="sandbox",field="other"');
});

test('stores a Sumsub report with an unknown answer as on hold', async () => {
  const other = await startApp({
    env: { KYC_PROVIDER: 'sumsub', KYC_API_URL: 'http://127.0.0.1:9' },
    database: app.database,
  });
  const send = (body: object) => {
    const raw = JSON.stringify(body);
    const digest = createHmac('sha256', other.config.KYC_WEBHOOK_SECRETS[0]!).update(raw).digest('hex');
    const headers = { ...json, 'x-payload-digest': digest, 'x-payload-digest-alg': 'HMAC_SHA256_HEX' };
    return other.call('POST', '/webhooks/kyc/sumsub', { raw, headers });
  };
  const cases: [change: object, due: string][] = [
    [{ type: 'APPLICANTREVIEWED', reviewResult: { reviewAnswer: 'green' } }, 'APPROVED'],
    [{ reviewResult: { reviewAnswer: 'YELLOW' } }, 'ON_HOLD'],
    [{ type: 'applicantSomethingNew' }, 'NONE'],
    [{ type: 'applicantCreated', levelName: '', correlationId: '' }, 'NONE'],
  ];
  for (const [change, due] of cases) {
    const { player, applicantId } = await applicant();
    await app.db
      .updateTable('kyc_applicants')
      .set({ provider: 'sumsub' })
      .where('user_id', '=', player.id)
      .execute();
    const body = {
      type: 'applicantReviewed',
      applicantId,
      externalUserId: player.id,
      levelName: 'identity',
      createdAtMs: Date.now(),
      correlationId: randomUUID(),
      isNew: true,
    };
    expect((await send({ ...body, ...change })).status).toBe(200);
    expect(await tierOf(player), JSON.stringify(change)).toBe(due);
  }
  const counted = await other.services.metrics.registry.metrics();
  for (const type of ['YELLOW', 'applicantSomethingNew'])
    expect(counted).toContain(`croupier_partner_unknown_types_total{partner="sumsub",type="${type}"`);
  expect(counted).toContain('croupier_partner_unknown_fields_total{partner="sumsub",field="isNew"');
  await other.stop();
});
