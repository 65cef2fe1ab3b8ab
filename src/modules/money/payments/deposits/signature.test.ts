import { afterAll, beforeAll, expect, test } from 'vitest';
import { cashOf, type Player, startApp, type TestApp } from '../../../../../test/kit/app.ts';
import { rawRequest } from '../../../../../test/kit/http/raw-http.ts';
import { aHash, DEPOSIT_HOOK, giveAddress, tell, webhookOf } from '../../../../../test/kit/money/deposits.ts';
import { notify } from '../../../../../test/kit/money/webhooks.ts';
import { signatureOf } from '../../../base/webhooks/signature.ts';

const [OLD, NEW] = ['an-old-secret-of-deposits', 'a-new-secret-of-deposits'];
const TOLERANCE = 60;

let app: TestApp;
let player: Player;
let address: string;
beforeAll(async () => {
  const env = { PAYMENT_WEBHOOK_SECRETS: `${OLD}, ${NEW}`, WEBHOOK_TOLERANCE_SECONDS: String(TOLERANCE) };
  app = await startApp({ env: { ...env, NOWPAYMENTS_API_KEY: 'nowpayments-key' } });
  player = await app.newPlayer();
  address = await giveAddress(app.db, player.id);
});
afterAll(() => app.stop());

const now = () => Math.floor(Date.now() / 1000);
const stored = async () => {
  const { rows } = await app.sql<{ n: number }>`select (select count(*) from webhook_events)::int
    + (select count(*) from deposits)::int + (select count(*) from ledger_lines)::int as n`.execute(app.db);
  return rows[0]!.n;
};
const send = (raw: string, signature: string | undefined, path = DEPOSIT_HOOK) =>
  app.call('POST', path, {
    raw,
    headers: { 'content-type': 'application/json', ...(signature && { 'x-signature': signature }) },
  });
const outcome = async (raw: string, signature: string | undefined, path?: string) => {
  const { status, body } = await send(raw, signature, path);
  return `${status} ${body.code ?? ''}`.trim();
};

test('rejects an invalid signature with 401, stores nothing and moves no money', async () => {
  const raw = JSON.stringify(webhookOf(address));
  const before = await stored();
  const good = signatureOf(raw, NEW, now());
  const cases: Record<string, [string, string | undefined]> = {
    absent: [raw, undefined],
    empty: [raw, ' '],
    'wrong key': [raw, signatureOf(raw, 'another-secret', now())],
    'the key of another provider': [raw, signatureOf(raw, 'sandbox-nowpayments-ipn-secret', now())],
    'the key of skins': [raw, signatureOf(raw, 'sandbox-skins-webhook-secret', now())],
    'truncated signature': [raw, good.slice(0, -1)],
    'truncated body': [raw.slice(0, -1), good],
    're-serialized body': [JSON.stringify(JSON.parse(raw), null, 1), good],
    'extra space': [`${raw} `, good],
    'another amount': [raw.replace('"25"', '"26"'), good],
    'another time': [raw, good.replace(/^t=\d+/, `t=${now() - 5}`)],
    'no time': [raw, good.replace(/^t=\d+,/, '')],
    'too old': [raw, signatureOf(raw, NEW, now() - TOLERANCE - 2)],
    'too early': [raw, signatureOf(raw, NEW, now() + TOLERANCE + 2)],
    'upper case': [raw, good.toUpperCase()],
    'twice in one header': [raw, `${good}, ${good}`],
    'invalid JSON, unsigned': ['{', good],
    'empty body, unsigned': ['', good],
  };
  for (const [name, [bytes, signature]] of Object.entries(cases))
    expect(await outcome(bytes, signature), name).toBe('401 SIGNATURE_INVALID');
  for (const second of [good, 'x']) {
    const headers = { 'content-type': 'application/json', 'x-signature': good, 'X-Signature': second };
    const answer = await rawRequest(app.url, 'POST', DEPOSIT_HOOK, { headers, body: raw });
    expect([answer.status, answer.body.code]).toEqual([401, 'SIGNATURE_INVALID']);
  }
  expect([await stored(), await cashOf(player)]).toEqual([before, '0']);
});

test('accepts signatures at the limits of the time tolerance, and ignores a repeated webhook', async () => {
  const raw = JSON.stringify(webhookOf(address));
  const before = Number(await cashOf(player));
  const edges = [-TOLERANCE + 1, TOLERANCE - 1, 0, 0];
  for (const edge of edges) expect(await outcome(raw, signatureOf(raw, NEW, now() + edge))).toBe('200');
  expect(Number(await cashOf(player))).toBe(before + 25);
});

test("checks each provider's own signature scheme, and returns 404 for an unknown provider", async () => {
  const raw = JSON.stringify(webhookOf(address));
  const before = await stored();
  const good = signatureOf(raw, NEW, now());
  const to = (provider: string) => DEPOSIT_HOOK.replace('sandbox', provider);
  expect(await outcome(raw, good, to('nowpayments'))).toBe('401 SIGNATURE_INVALID');
  for (const provider of ['nobody', 'btcpay', '__proto__', 'x'.repeat(60)])
    expect(await outcome(raw, good, to(provider)), provider).toBe('404 PROVIDER_NOT_FOUND');
  expect(await stored()).toBe(before);
});

test('stores a signed body for review if it is not a webhook, and moves no money', async () => {
  const good = webhookOf(address);
  const { amount: _, ...withoutAmount } = good;
  const wrong = [
    '{',
    'null',
    '[]',
    ...[{ ...good, amount: '-1' }, withoutAmount].map((b) => JSON.stringify(b)),
    JSON.stringify({ ...good, outputIndex: -1 }),
    JSON.stringify({ ...good, occurredAt: 'yesterday' }),
  ];
  for (const body of wrong) {
    expect((await notify(app, DEPOSIT_HOOK, body, { secret: NEW })).body, body).toEqual({ success: true });
    const [row] = await app.db.selectFrom('deposits').selectAll().where('report', '=', body).execute();
    expect(row, body).toMatchObject({ status: 'UNDER_REVIEW', amount: 0n, credit_key: null });
  }
});

test('accepts the old and the new secret during a rotation, and only the new one afterwards', async () => {
  for (const secret of [OLD, NEW])
    expect((await tell(app, webhookOf(address, { txHash: aHash() }), { secret })).status).toBe(200);
  const later = await startApp({ database: app.database, env: { PAYMENT_WEBHOOK_SECRETS: NEW } });
  const before = await stored();
  expect((await tell(later, webhookOf(address), { secret: OLD })).body.code).toBe('SIGNATURE_INVALID');
  expect(await stored()).toBe(before);
  expect((await tell(later, webhookOf(address), { secret: NEW })).status).toBe(200);
  await later.stop();
});
