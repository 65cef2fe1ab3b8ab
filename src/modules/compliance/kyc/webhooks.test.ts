import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { codeOf, KYC_SECRET, startKyc } from '../../../../test/kit/accounts/kyc.ts';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { notify } from '../../../../test/kit/money/webhooks.ts';
import { listWaiting } from '../../../platform/queue/waiting.ts';
import { PROCESS } from '../../base/webhooks/service.ts';
import { signatureOf } from '../../base/webhooks/signature.ts';

const kyc = fixture(startKyc);
const second = fixture(() => startApp({ database: kyc.app.database, env: kyc.outside.env }));

const seconds = () => Math.floor(Date.now() / 1000);
const PATH = '/webhooks/kyc/sandbox';
const eventsOf = (applicantId: string) =>
  kyc.app.db
    .selectFrom('kyc_events')
    .selectAll()
    .where('applicant_id', '=', applicantId)
    .orderBy('outcome')
    .execute();
const historyOf = (userId: number) =>
  kyc.app.db.selectFrom('kyc_history').selectAll().where('user_id', '=', userId).orderBy('id').execute();

describe('webhook signature', () => {
  test('rejects signatures that are missing, truncated, mismatched, repeated or made with another key, and stores nothing', async () => {
    const player = await kyc.applicant();
    const webhook = kyc.webhookOf(player, 'APPROVED');
    const raw = JSON.stringify(webhook);
    const good = signatureOf(raw, KYC_SECRET, seconds());
    const send = (body: string, headers: Record<string, string>) =>
      kyc.app.call('POST', PATH, { raw: body, headers: { 'content-type': 'application/json', ...headers } });
    const [time, mac] = good.split(',') as [string, string];
    const bad: [string, string, Record<string, string>][] = [
      ['absent', raw, {}],
      ['empty', raw, { 'x-signature': '' }],
      ['wrong key', raw, { 'x-signature': signatureOf(raw, 'x'.repeat(32), seconds()) }],
      ...['payment', 'skins', 'btcpay'].map((other): [string, string, Record<string, string>] => [
        `key of ${other}`,
        raw,
        { 'x-signature': signatureOf(raw, `sandbox-${other}-webhook-secret`, seconds()) },
      ]),
      ['our own key for requests', raw, { 'x-signature': signatureOf(raw, 'sandbox-kyc-secret', seconds()) }],
      ['truncated', raw, { 'x-signature': good.slice(0, -1) }],
      ['half', raw, { 'x-signature': `${time},v1=${mac.slice(3, 35)}` }],
      ['upper case', raw, { 'x-signature': `${time},v1=${mac.slice(3).toUpperCase()}` }],
      ['without its time', raw, { 'x-signature': mac }],
      ['of another time', raw, { 'x-signature': `t=${seconds() - 1},${mac}` }],
      [
        'not over the time',
        raw,
        { 'x-signature': `${time},v1=${createHmac('sha256', KYC_SECRET).update(raw).digest('hex')}` },
      ],
      ['re-serialized', JSON.stringify(webhook, null, 1), { 'x-signature': good }],
      ['extra space', `${raw} `, { 'x-signature': good }],
      [
        'other order of fields',
        JSON.stringify(Object.fromEntries(Object.entries(webhook).reverse())),
        { 'x-signature': good },
      ],
      ['empty body', '', { 'x-signature': good }],
      ['two in one header', raw, { 'x-signature': `${good}, ${good}` }],
      [
        'in other headers',
        raw,
        { 'x-payload-digest': mac.slice(3), 'x-payload-digest-alg': 'HMAC_SHA256_HEX' },
      ],
      // The signature is checked before the body is parsed.
      ['no JSON', '{', { 'x-signature': good }],
    ];
    for (const [name, body, headers] of bad)
      expect(codeOf(await send(body, headers)), name).toBe('401 SIGNATURE_INVALID');
    const twice = await fetch(`${kyc.app.url}${PATH}`, {
      method: 'POST',
      body: raw,
      headers: [
        ['content-type', 'application/json'],
        ['x-signature', good],
        ['x-signature', good],
      ],
    });
    expect(twice.status).toBe(401);
    expect(await eventsOf(player.applicantId)).toEqual([]);
    const kept = await kyc.app.db
      .selectFrom('webhook_events')
      .select('id')
      .where('kind', '=', 'kyc')
      .execute();
    expect(kept).toEqual([]);
    expect(codeOf(await send(raw, { 'x-signature': good }))).toBe('200');
    expect((await kyc.tierOf(player)).status).toBe('APPROVED');
  });

  test('accepts timestamps that differ from the current time by up to the tolerance', async () => {
    const player = await kyc.applicant();
    const tolerance = kyc.app.config.WEBHOOK_TOLERANCE_SECONDS;
    const at = (offset: number) =>
      kyc.send(kyc.webhookOf(player, 'PENDING'), { at: seconds() + offset }).then(codeOf);
    expect(await at(-tolerance - 1)).toBe('401 SIGNATURE_INVALID');
    expect(await at(tolerance + 2)).toBe('401 SIGNATURE_INVALID');
    expect((await kyc.tierOf(player)).status).toBe('NONE');
    expect(await at(-tolerance + 2)).toBe('200');
    expect(await at(tolerance - 1)).toBe('200');
  });

  test('applies an event id only once, even if a repeated webhook has different content', async () => {
    const player = await kyc.applicant();
    const webhook = kyc.webhookOf(player, 'PENDING');
    expect(codeOf(await kyc.send(webhook))).toBe('200');
    // Sends the same bytes, the same bytes with a new signature, and different content.
    expect(codeOf(await kyc.send(webhook))).toBe('200');
    expect(codeOf(await kyc.send(webhook, { at: seconds() - 5 }))).toBe('200');
    const later = new Date(Date.now() + 1000).toISOString();
    expect(codeOf(await kyc.send({ ...webhook, status: 'APPROVED', occurredAt: later }))).toBe('200');
    expect((await kyc.tierOf(player)).status).toBe('PENDING');
    expect((await eventsOf(player.applicantId)).length).toBe(1);
  });

  test('returns 404 for a provider that is not configured', async () => {
    const player = await kyc.applicant();
    for (const path of ['sumsub', 'nobody', '__proto__', 'constructor', 'x'.repeat(100)])
      expect(codeOf(await kyc.send(kyc.webhookOf(player, 'APPROVED'), {}, path)), path).toBe(
        '404 PROVIDER_NOT_FOUND',
      );
    expect((await kyc.tierOf(player)).status).toBe('NONE');
  });
});

test('accepts signatures made with either secret during a rotation', async () => {
  const [old, next] = [KYC_SECRET, 'sandbox-kyc-webhook-secret-of-next-year'];
  const start = (secrets: string) =>
    startApp({ database: kyc.app.database, env: { ...kyc.outside.env, KYC_WEBHOOK_SECRETS: secrets } });
  const results: Record<string, string[]> = {};
  for (const secrets of [old, `${next},${old}`, next]) {
    const app = await start(secrets);
    const signedBy = async (secret: string) => {
      const player = await kyc.applicant();
      return codeOf(await notify(app, PATH, kyc.webhookOf(player, 'APPROVED'), { secret }));
    };
    results[secrets] = [await signedBy(old), await signedBy(next)];
    await app.stop();
  }
  expect(Object.values(results)).toEqual([
    ['200', '401 SIGNATURE_INVALID'],
    ['200', '200'],
    ['401 SIGNATURE_INVALID', '200'],
  ]);
});

test.each<[string, (webhook: any) => unknown]>([
  ['no JSON', () => '{"eventId":'],
  ['a list', () => '[]'],
  ['a missing field', ({ eventId: _, ...rest }) => rest],
  ['an unknown status', (webhook) => ({ ...webhook, status: 'MANUALLY_APPROVED' })],
  ['an unknown tier', (webhook) => ({ ...webhook, tier: 'ALL' })],
  ['a date without a time', (webhook) => ({ ...webhook, occurredAt: '2026-01-01' })],
  ['a check without a result', (webhook) => ({ ...webhook, checks: [{ name: 'face' }] })],
  ['a key twice', (webhook) => JSON.stringify(webhook).replace('{', '{"status":"PENDING",')],
])('stores a signed webhook with %s as one finding and changes no tier', async (_, spoil) => {
  const player = await kyc.applicant();
  const spoilt = spoil(kyc.webhookOf(player, 'APPROVED')) as object;
  const count = () =>
    kyc.app.db.selectFrom('provider_findings').select('id').where('partner', '=', 'sandbox').execute();
  const before = (await count()).length;
  for (let i = 0; i < 2; i++) expect(codeOf(await kyc.send(spoilt))).toBe('200');
  expect((await kyc.tierOf(player)).status).toBe('NONE');
  expect((await count()).length).toBe(before + 1);
});

test('processes a review with a rejection, a new submission and an approval', async () => {
  const player = await kyc.applicant();
  const check = (name: string, result: string) => ({ name, result });
  await kyc.say(player, 'PENDING', { checks: [check('document', 'PENDING')] });
  expect(await kyc.tierOf(player)).toMatchObject({ status: 'PENDING', canResubmit: false, decidedAt: null });
  await kyc.say(player, 'REJECTED', {
    rejectType: 'RETRY',
    rejectLabels: ['BLURRY'],
    checks: [check('document', 'FAILED')],
    moderationComment: 'Too dark',
    clientComment: 'for staff: maybe forged',
  });
  const rejected = await kyc.tierOf(player);
  expect(rejected).toMatchObject({
    status: 'RESUBMIT',
    rejectLabels: ['BLURRY'],
    moderationComment: 'Too dark',
  });
  expect(rejected.canResubmit).toBe(true);
  expect((await player.call('GET', '/kyc')).text).not.toContain('forged');
  expect(await kyc.levelsOf(player)).toEqual([1, 1]);
  await kyc.say(player, 'ON_HOLD', { checks: [check('document', 'PASSED'), check('face', 'PENDING')] });
  await kyc.say(player, 'APPROVED', { checks: [check('document', 'PASSED')] });
  expect((await kyc.tierOf(player)).status).toBe('ON_HOLD');
  const expiresAt = new Date(Date.now() + 1e9).toISOString();
  await kyc.say(player, 'APPROVED', { checks: [check('face', 'PASSED')], expiresAt });
  expect(await kyc.tierOf(player)).toMatchObject({ status: 'APPROVED', expiresAt, moderationComment: null });
  expect(await kyc.levelsOf(player)).toEqual([2, 2]);
  await kyc.say(player, 'APPROVED', { tier: 'SOURCE_OF_FUNDS' });
  expect(await kyc.levelsOf(player)).toEqual([2, 2]);
  await kyc.say(player, 'APPROVED', { tier: 'ADDRESS' });
  expect(await kyc.levelsOf(player)).toEqual([4, 4]);
  await kyc.say(player, 'EXPIRED');
  expect(await kyc.levelsOf(player)).toEqual([1, 1]);
  expect(
    (await historyOf(player.id)).map((row) => `${row.tier} ${row.from_status}-${row.to_status}`),
  ).toEqual([
    'BASIC NONE-APPROVED',
    'IDENTITY NONE-PENDING',
    'IDENTITY PENDING-RESUBMIT',
    'IDENTITY RESUBMIT-ON_HOLD',
    'IDENTITY ON_HOLD-APPROVED',
    'SOURCE_OF_FUNDS NONE-APPROVED',
    'ADDRESS NONE-APPROVED',
    'IDENTITY APPROVED-EXPIRED',
  ]);
});

test('ignores all reports after a final rejection', async () => {
  const player = await kyc.applicant();
  await kyc.say(player, 'REJECTED', { rejectType: 'FINAL', rejectLabels: ['FORGERY'] });
  for (const status of ['PENDING', 'APPROVED', 'EXPIRED']) await kyc.say(player, status);
  expect(await kyc.tierOf(player)).toMatchObject({ status: 'REJECTED', canResubmit: false });
  expect((await eventsOf(player.applicantId)).map((e) => e.outcome)).toEqual([
    'APPLIED',
    'CLOSED',
    'CLOSED',
    'CLOSED',
  ]);
});

test('ignores a decision that is older than the last accepted one', async () => {
  const player = await kyc.applicant();
  const at = (agoMs: number) => ({ occurredAt: new Date(Date.now() - agoMs).toISOString() });
  await kyc.say(player, 'REJECTED', { rejectType: 'RETRY', ...at(1000) });
  await kyc.say(player, 'APPROVED', at(2000));
  expect((await kyc.tierOf(player)).status).toBe('RESUBMIT');
  // The decision does not affect another tier.
  await kyc.say(player, 'APPROVED', { tier: 'ADDRESS', ...at(2000) });
  expect((await kyc.tierOf(player, 'ADDRESS')).status).toBe('APPROVED');
  await kyc.say(player, 'APPROVED', at(500));
  expect((await kyc.tierOf(player)).status).toBe('APPROVED');
  const outcomes = (await eventsOf(player.applicantId)).filter((event) => event.tier === 'IDENTITY');
  expect(outcomes.map((event) => event.outcome)).toEqual(['APPLIED', 'APPLIED', 'STALE']);
});

test('reaches the same state for four events in any order when each is sent twice to two processes', async () => {
  for (let round = 0; round < 8; round++) {
    const player = await kyc.applicant();
    const base = Date.now() - 10_000;
    const webhooks = [
      ['PENDING', {}],
      ['REJECTED', { rejectType: 'RETRY' }],
      ['PENDING', {}],
      ['APPROVED', {}],
    ].map(([status, fields], i) =>
      kyc.webhookOf(player, status as string, {
        ...(fields as object),
        occurredAt: new Date(base + i * 1000).toISOString(),
      }),
    );
    const sent = [...webhooks, ...webhooks].sort(() => Math.random() - 0.5);
    const answers = await Promise.all(
      sent.map((webhook, i) => notify(i % 2 ? second : kyc.app, PATH, webhook, { secret: KYC_SECRET })),
    );
    expect(answers.map(codeOf)).toEqual(Array(8).fill('200'));
    expect(await kyc.tierOf(player)).toMatchObject({
      status: 'APPROVED',
      decidedAt: webhooks[3]!.occurredAt,
    });
    expect(await kyc.levelsOf(player)).toEqual([2, 2]);
  }
});

test('applies 100 concurrent duplicates once and returns equal responses', async () => {
  const player = await kyc.applicant();
  const webhook = kyc.webhookOf(player, 'APPROVED');
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      // Every fifth report has different bytes.
      notify(i % 2 ? second : kyc.app, PATH, i % 5 ? webhook : { ...webhook, rejectLabels: [String(i)] }, {
        secret: KYC_SECRET,
      }),
    ),
  );
  expect(new Set(answers.map((a) => `${a.status} ${a.text}`))).toEqual(new Set(['200 {"success":true}']));
  expect((await historyOf(player.id)).length).toBe(2);
  expect((await eventsOf(player.applicantId)).length).toBe(1);
  expect(await kyc.levelsOf(player)).toEqual([2, 2]);
});

test('stores reports about unknown applicants or about other users, but does not apply them', async () => {
  const [one, two] = [await kyc.applicant(), await kyc.applicant()];
  await kyc.say({ ...one, applicantId: 'never-seen' }, 'APPROVED');
  await kyc.say({ ...one, id: two.id }, 'APPROVED');
  await kyc.say({ ...one, id: 2_000_000_000 }, 'APPROVED');
  for (const player of [one, two]) expect(await kyc.levelsOf(player)).toEqual([1, 1]);
  expect((await eventsOf('never-seen')).map((e) => e.outcome)).toEqual(['UNKNOWN_APPLICANT']);
  expect((await eventsOf(one.applicantId)).map((e) => e.outcome)).toEqual(['WRONG_USER', 'WRONG_USER']);
});

test('stores a webhook that fails, and retries the webhook in the worker', async () => {
  const player = await kyc.applicant();
  const webhook = kyc.webhookOf(player, 'APPROVED');
  await kyc.app.sql`alter table kyc_events rename to kyc_events_gone`.execute(kyc.app.db);
  const answer = await kyc
    .send(webhook)
    .finally(() => kyc.app.sql`alter table kyc_events_gone rename to kyc_events`.execute(kyc.app.db));
  expect(answer.status).toBe(500);
  expect((await kyc.tierOf(player)).status).toBe('NONE');
  for (const { payload } of await listWaiting(kyc.app.db, PROCESS, 1000))
    await kyc.app.services.webhooks.process(payload);
  expect((await kyc.tierOf(player)).status).toBe('APPROVED');
});

test('processes a decision sent by the sandbox', async () => {
  const player = await kyc.applicant();
  const answer = await kyc.decide({ userId: player.id, tier: 'IDENTITY', status: 'APPROVED' });
  expect([answer.status, answer.body]).toEqual([200, { success: true }]);
  expect(await kyc.levelsOf(player)).toEqual([2, 2]);
});
