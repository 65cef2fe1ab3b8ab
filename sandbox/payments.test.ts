import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import WAValidator from 'multicoin-address-validator';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Sandbox, startSandbox } from './server.ts';

const KEY = 'sandbox-payment-key';
const SECRET = 'sandbox-payment-webhook-secret';
type Told = { path: string; signature: string; body: Record<string, any>; at: number };
let sandbox: Sandbox;
let told: Told[] = [];
let answerWith = (_told: Told): number => 200;
const platform = createServer(async (request, response) => {
  const raw = await text(request);
  const signature = String(request.headers['x-signature']);
  const one = { path: request.url ?? '', signature, body: JSON.parse(raw), at: performance.now() };
  const [, seconds, mac] = /^t=(\d+),v1=(\w+)$/.exec(signature) ?? [];
  expect(createHmac('sha256', SECRET).update(`${seconds}.${raw}`).digest('hex')).toBe(mac);
  told.push(one);
  response.statusCode = answerWith(one);
  response.end();
});

beforeAll(async () => {
  for (const name of ['PAYMENT_API_KEY', 'PAYMENT_WEBHOOK_SECRETS']) vi.stubEnv(name, '');
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
});
beforeEach(async () => {
  told = [];
  answerWith = () => 200;
  const apiUrl = () => `http://127.0.0.1:${(platform.address() as AddressInfo).port}`;
  sandbox = await startSandbox({ port: 0, host: '127.0.0.1', apiUrl });
});
afterEach(() => sandbox.close());
afterAll(() => {
  vi.unstubAllEnvs();
  platform.close();
});

const at = (path: string) => `${sandbox.url}/payments${path}`;
const headers = { authorization: `Bearer ${KEY}` };
async function call(path: string, body?: object, init: RequestInit = { headers }) {
  const request = body ? { method: 'POST', body: JSON.stringify(body) } : {};
  const answer = await fetch(at(path), { ...request, redirect: 'manual', ...init });
  const said = await answer.text();
  return {
    status: answer.status,
    body: said.startsWith('{') || said.startsWith('[') ? JSON.parse(said) : said,
  };
}
const statuses = () => told.map(({ body }) => body.status);
const order = (reference: string, amount = '0.1') => ({
  reference,
  currencyId: 'BTC',
  networkId: 'bitcoin',
  address: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT',
  memo: null,
  amount,
});
const USDT = { currencyId: 'USDT', networkId: 'tron', address: 'TE7Ut7NwLifP2XPdtz761z57MkEWJUTu7m' };

test.each([
  ['bitcoin', 'BTC', 'btc'],
  ['ethereum', 'ETH', 'eth'],
  ['bsc', 'BNB', 'eth'],
  ['tron', 'USDT', 'trx'],
  ['solana', 'SOL', 'sol'],
  ['litecoin', 'LTC', 'ltc'],
  ['dogecoin', 'DOGE', 'doge'],
  ['bitcoincash', 'BCH', 'bch'],
  ['ripple', 'XRP', 'xrp'],
])(
  'returns valid %s addresses, and always the same address for a reference',
  async (networkId, currencyId, kind) => {
    const open = (n: number) =>
      call('/v1/addresses', { reference: `r${n}`, userId: n, currencyId, networkId });
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => open(n)));
    for (const { status, body } of answers) {
      expect([status, WAValidator.validate(body.address, kind)]).toEqual([200, true]);
      if (kind === 'eth') expect(body.address).toMatch(/[A-F]/);
      if (kind === 'xrp') expect(Number(body.memo)).toBeLessThan(2 ** 32);
      else expect(body.memo).toBe(null);
    }
    const owners = answers.map(({ body }) => `${body.address} ${body.memo}`);
    expect(new Set(owners).size).toBe(40);
    expect(new Set(answers.map(({ body }) => body.address)).size).toBe(kind === 'xrp' ? 1 : 40);
    expect((await open(7)).body).toEqual(answers[7]!.body);
  },
);

test('rejects requests without the key or with missing fields', async () => {
  expect((await call('/v1/payouts/w', undefined, {})).status).toBe(401);
  expect((await call('/v1/payouts', order('w'), {})).status).toBe(401);
  for (const change of [
    { amount: 1 },
    { amount: '1e3' },
    { amount: '0' },
    { address: '' },
    { reference: '' },
  ])
    expect((await call('/v1/payouts', { ...order('w'), ...change })).status).toBe(400);
  const unknown = { reference: 'r', currencyId: 'EUR', networkId: 'sepa' };
  expect((await call('/v1/addresses', unknown)).status).toBe(422);
  expect((await call('/v1/payouts/w')).body).toEqual({ error: 'NOT_FOUND', reference: 'w' });
  expect((await call('/books')).body).toEqual({ deposits: [], payouts: [], totals: {} });
});

test('reports every status of a deposit in turn, and removes its coins from the books after a chain reorganisation', async () => {
  const paid = await call('/coins', {
    ...USDT,
    amount: '25.000000000000000001',
    txHash: 'tx',
    outputIndex: 3,
  });
  expect(paid).toMatchObject({ status: 200, body: { txHash: 'tx', outputIndex: 3 } });
  await expect.poll(statuses).toEqual(['DETECTED', 'CONFIRMING', 'COMPLETED']);
  expect(told[2]).toMatchObject({
    path: '/webhooks/payments/sandbox/deposit',
    body: {
      externalId: paid.body.externalId,
      payAddress: USDT.address,
      payMemo: null,
      txHash: 'tx',
      currencyId: 'USDT',
      networkId: 'tron',
      amount: '25.000000000000000001',
      outputIndex: 3,
      confirmations: 30,
      occurredAt: expect.stringMatching(/Z$/),
    },
  });
  await call('/coins', { ...USDT, amount: '0.000000000000000002', txHash: 'tx', outputIndex: 4 });
  await expect.poll(() => told.length).toBe(6);
  const totals = async () => (await call('/books')).body.totals;
  expect(await totals()).toEqual({ USDT: { in: '25.000000000000000003', out: '0' } });
  expect((await call('/reorg', { txHash: 'tx', outputIndex: 3 })).body).toEqual({ reversed: 1 });
  await expect.poll(() => statuses().at(-1)).toBe('REVERSED');
  expect(await totals()).toEqual({ USDT: { in: '0.000000000000000002', out: '0' } });
  expect((await call('/reorg', { txHash: 'other' })).status).toBe(404);
  expect((await call('/coins', { ...USDT, amount: '9', txHash: 'tx', outputIndex: 4 })).status).toBe(409);
});

test('stops a deposit at the requested status, continues it on request, and reverses it after a chain reorganisation', async () => {
  const part = { ...USDT, amount: '1', txHash: 'tx' };
  await call('/coins', { ...part, status: 'CONFIRMING', confirmations: 2 });
  await expect.poll(statuses).toEqual(['DETECTED', 'CONFIRMING']);
  expect(told[1]!.body.confirmations).toBe(2);
  await call('/coins', part);
  await expect.poll(statuses).toEqual(['DETECTED', 'CONFIRMING', 'COMPLETED']);
  await call('/coins', { ...part, txHash: 'other' });
  await call('/reorg', { txHash: 'other' });
  await expect.poll(() => statuses().at(-1)).toBe('REVERSED');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(statuses().slice(3)).toEqual(['DETECTED', 'REVERSED']);
  await call('/coins', { ...part, txHash: 'third', status: 'PARTIALLY_PAID' });
  await expect.poll(() => statuses().at(-1)).toBe('PARTIALLY_PAID');
  expect((await call('/books')).body.totals).toEqual({ USDT: { in: '1', out: '0' } });
  expect((await call('/coins', { ...part, status: 'ODD' })).status).toBe(400);
});

test('creates one payout per reference, reports it within a second, and adds it to the total paid once it is sent', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => call('/v1/payouts', order('w/1 ü'))));
  const { externalId } = answers[0]!.body;
  for (const { status, body } of answers) expect([status, body.externalId]).toEqual([201, externalId]);
  expect(answers[0]!.body).toMatchObject({ reference: 'w/1 ü', confirmations: 0, failedReason: null });
  await expect.poll(statuses).toEqual(['PROCESSING', 'SENT', 'COMPLETED']);
  expect(told[2]!.at - told[0]!.at).toBeLessThan(1000);
  expect(told[1]).toMatchObject({
    path: '/webhooks/payments/sandbox/withdrawal',
    body: { reference: 'w/1 ü', externalId, txHash: expect.any(String) },
  });
  expect((await call(`/v1/payouts/${encodeURIComponent('w/1 ü')}`)).body).toMatchObject({
    status: 'COMPLETED',
    confirmations: 30,
    txHash: told[2]!.body.txHash,
  });
  expect((await call('/v1/payouts', order('w/1 ü', '0.2'))).status).toBe(409);
  expect((await call('/books')).body).toMatchObject({
    payouts: [{ amount: '0.1' }],
    totals: { BTC: { in: '0', out: '0.1' } },
  });
});

test('settles payouts on request, and keeps their total exact', async () => {
  await call('/behaviour', { autoSettle: false });
  for (let n = 0; n < 10; n++) await call('/v1/payouts', order(`w${n}`, '0.1'));
  expect((await call('/books')).body.totals).toEqual({});
  for (let n = 0; n < 10; n++) {
    const end = n < 3 ? { status: 'SENT' } : n < 7 ? { status: 'COMPLETED' } : { status: 'FAILED' };
    expect((await call('/settle', { reference: `w${n}`, failedReason: 'no', ...end })).status).toBe(200);
  }
  expect((await call('/books')).body.totals).toEqual({ BTC: { in: '0', out: '0.7' } });
  await expect.poll(() => told.length).toBe(10);
  expect(told.find(({ body }) => body.reference === 'w9')!.body).toMatchObject({
    status: 'FAILED',
    failedReason: 'no',
    txHash: null,
  });
  expect((await call('/settle', { reference: 'none', status: 'SENT' })).status).toBe(404);
  expect((await call('/settle', { reference: 'w1', status: 'ODD' })).status).toBe(400);
});

describe('webhooks', () => {
  test('repeats each webhook until the response is 2xx, without delaying other webhooks', async () => {
    const tries = new Map<string, number>();
    answerWith = ({ body }) => {
      tries.set(body.status, (tries.get(body.status) ?? 0) + 1);
      return body.status !== 'CONFIRMING' || tries.get('CONFIRMING')! > 3 ? 200 : 500;
    };
    await call('/coins', { ...USDT, amount: '1' });
    await expect.poll(() => told.length, { timeout: 3000 }).toBe(6);
    expect(statuses()).toEqual(['DETECTED', 'CONFIRMING', 'COMPLETED', ...Array(3).fill('CONFIRMING')]);
    const delivered = (await call('/deliveries')).body as { tries: number; status: number }[];
    expect(delivered.map((one) => [one.tries, one.status])).toEqual([
      [1, 200],
      [4, 200],
      [1, 200],
    ]);
  });

  test('duplicates, delays, reorders, resends and splits webhooks as determined by the seed', async () => {
    /** Sends new coins and returns their webhooks. */
    const run = async (webhooks: object, seed = 1) => {
      await call('/behaviour', { webhooks, seed });
      const { txHash } = (await call('/coins', { ...USDT, amount: '1' })).body;
      return () => told.filter(({ body }) => body.txHash === txHash);
    };
    const named = (webhooks: readonly Told[]) => webhooks.map(({ body }) => body.status).join(' ');
    const usual = 'DETECTED CONFIRMING COMPLETED';

    const twice = await run({ duplicates: 1 });
    await expect.poll(() => twice().length).toBe(6);
    for (const status of usual.split(' '))
      expect(twice().filter(({ body }) => body.status === status)).toHaveLength(2);

    const start = performance.now();
    const late = await run({ delayMs: 200 });
    await expect.poll(() => named(late())).toBe(usual);
    expect(late()[0]!.at - start).toBeGreaterThan(190);

    const lost = await run({ lost: 1 });
    await expect.poll(() => lost().length).toBe(3);
    expect((await call('/deliveries')).body.at(-1)).toMatchObject({ tries: 1 });

    const slow = await run({ slow: 1 });
    await expect.poll(() => named(slow())).toBe(usual);

    const disordered = await run({ reorder: 1, reorderMs: 500 }, 3845);
    await expect.poll(() => named(disordered())).toBe('COMPLETED CONFIRMING DETECTED');
  });
});

describe('behaviour', () => {
  test.each([
    ['refuse', 422, 0],
    ['error-before', 500, 0],
    ['error-after', 500, 1],
    ['garbage', 200, 1],
    ['wrong-types', 200, 1],
    ['redirect', 307, 0],
    ['slow', 201, 1],
  ])('%s: responds with status %i and creates %i payouts', async (payouts, status, paid) => {
    await call('/behaviour', { payouts, slowMs: 50 });
    expect((await call('/v1/payouts', order('w'))).status).toBe(status);
    expect((await call('/books')).body.payouts).toHaveLength(paid);
  });

  test.each([
    ['timeout-before', 0],
    ['timeout-after', 1],
    ['reset', 1],
    ['drip', 1],
    ['headers', 1],
  ])('%s: sends no usable response, and creates %i payouts', async (payouts, paid) => {
    await call('/behaviour', { payouts });
    const signal = AbortSignal.timeout(400);
    await expect(call('/v1/payouts', order('w'), { headers, signal })).rejects.toThrow();
    expect((await call('/books')).body.payouts).toHaveLength(paid);
  });

  test('huge: sends a response of 100 MB', async () => {
    await call('/behaviour', { payouts: 'huge' });
    const answer = await fetch(at('/v1/payouts'), {
      method: 'POST',
      headers,
      body: JSON.stringify(order('w')),
    });
    let bytes = 0;
    for await (const chunk of answer.body!) bytes += chunk.length;
    expect(bytes).toBe(100 * 1024 * 1024 + 2);
  });

  test('makes the same random decisions for the same seed', async () => {
    const run = async (seed: number) => {
      await call('/behaviour', { payouts: { refuse: 0.3, 'error-after': 0.3 }, seed });
      const found: number[] = [];
      for (let n = 0; n < 40; n++) found.push((await call('/v1/payouts', order(`w${seed}-${n}`))).status);
      return found;
    };
    const first = await run(11);
    expect(new Set(first)).toEqual(new Set([201, 422, 500]));
    expect(await run(11)).toEqual(first);
    expect(await run(12)).not.toEqual(first);
  });

  test('rejects unknown settings without changing anything', async () => {
    for (const behaviour of [
      { payouts: 'odd' },
      { payouts: { odd: 1 } },
      { payouts: { slow: 'x' } },
      { odd: 1 },
      { webhooks: { odd: 1 } },
      { webhooks: { lost: 'x' } },
      { seed: 0.5 },
    ])
      expect((await call('/behaviour', behaviour)).status, JSON.stringify(behaviour)).toBe(400);
    expect((await call('/v1/payouts', order('w'))).status).toBe(201);
  });
});

test('sends and reverses coins and settles payouts from the page, and escapes text on it', async () => {
  const form = (fields: Record<string, string>) =>
    fetch(at(''), { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
  const shown = async () => (await fetch(at(''))).text();
  expect(await shown()).toContain('No address yet');
  const reference = '<b>7</b>';
  const { body } = await call('/v1/addresses', { reference, currencyId: 'BTC', networkId: 'bitcoin' });
  expect(await shown()).not.toContain('<b>7');
  const [, to = ''] = /<option value="([^"]+)"/.exec(await shown()) ?? [];
  const value = to.replaceAll('&#34;', '"');
  expect(JSON.parse(value).address).toBe(body.address);
  expect((await form({ do: 'coins', to: value, amount: '0.5', status: 'COMPLETED' })).status).toBe(303);
  await expect.poll(async () => (await call('/books')).body.totals).toEqual({ BTC: { in: '0.5', out: '0' } });
  const { txHash } = (await call('/books')).body.deposits[0];
  expect(await shown()).toContain('0.5 BTC (bitcoin)');
  expect((await form({ do: 'reorg', txHash, outputIndex: '0' })).status).toBe(303);
  await call('/behaviour', { autoSettle: false });
  await call('/v1/payouts', order('w'));
  expect((await form({ do: 'settle', reference: 'w', status: 'SENT' })).status).toBe(303);
  expect((await call('/books')).body.totals).toEqual({ BTC: { in: '0', out: '0.1' } });
  const wrong = await form({ do: 'coins', to: value, amount: 'much' });
  expect([wrong.status, (await wrong.text()).includes('id="problem"')]).toEqual([400, true]);
  const index = await (await fetch(sandbox.url)).text();
  for (const path of [
    '/payments/v1/payouts',
    '/payments/coins',
    '/payments/btcpay/',
    '/payments/nowpayments/',
  ])
    expect(index).toContain(path);
});
