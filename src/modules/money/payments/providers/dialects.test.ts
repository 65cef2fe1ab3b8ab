import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import WAValidator from 'multicoin-address-validator';
import { generateSecret } from 'otplib';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { startOutside } from '../../../../../test/kit/http/outside.ts';
import { paymentsAt } from '../../../../../test/kit/money/payments.ts';
import { loadConfig } from '../../../../platform/config/config.ts';
import { units } from '../../../../platform/money.ts';
import { NotSent, Unanswered } from '../../../../platform/net/outbound.ts';
import { createLog } from '../../../../platform/observability/log.ts';
import { signatureOf } from '../../../base/webhooks/signature.ts';
import type { PaymentProvider, PayoutRequest } from '../provider.ts';
import { createProviders } from './registry.ts';

type Webhook = { path: string; headers: IncomingHttpHeaders; raw: Buffer };
const ELEVEN_MINUTES_MS = 11 * 60_000;
const log = createLog({ level: 'silent', service: 'test' });
let pay: ReturnType<typeof paymentsAt>;
const webhooks: Webhook[] = [];
const platform = createServer(async (request, response) => {
  webhooks.push({ path: request.url ?? '', headers: request.headers, raw: await buffer(request) });
  response.end();
});

const outside = fixture(startOutside);
beforeAll(async () => {
  pay = paymentsAt(outside.url);
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
  outside.setApi(`http://127.0.0.1:${(platform.address() as AddressInfo).port}`);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await pay.behave();
});
afterAll(async () => {
  platform.close();
});

const configOf = (env: Record<string, string> = {}) =>
  loadConfig({
    APP_ENV: 'test',
    ...outside.env,
    NOWPAYMENTS_API_URL: `${outside.url}/payments/nowpayments/`,
    NOWPAYMENTS_API_KEY: 'sandbox-nowpayments-key',
    NOWPAYMENTS_EMAIL: 'money@croupier.test',
    NOWPAYMENTS_PASSWORD: 'only-nowpayments-knows-this',
    BTCPAY_URL: `${outside.url}/payments/btcpay`,
    BTCPAY_API_KEY: 'sandbox-btcpay-key',
    ...env,
  });
const providerOf = (id: string, env?: Record<string, string>, timeoutMs = 20_000): PaymentProvider =>
  createProviders({ config: configOf(env), log, timeoutMs }).get(id);

let made = 0;
const aReference = () => `w-${process.pid}-${++made}`;
const anOrder = (change: Partial<PayoutRequest> = {}): PayoutRequest => ({
  reference: aReference(),
  currencyId: 'BTC',
  networkId: 'bitcoin',
  address: '159Gt41DBzYRsML1JiTNVqNySxVCAuNKWr',
  memo: null,
  amount: units('0.12345678'),
  ...change,
});
const webhooksOf = (provider: PaymentProvider, address: string) =>
  webhooks.filter(({ path, raw }) => path.includes(provider.id) && raw.includes(`"${address}"`));
const paidIn = async (provider: PaymentProvider, address: string) => {
  const found = () =>
    webhooksOf(provider, address).flatMap(({ raw, headers }) => {
      expect(provider.isSigned(raw, headers)).toBe(true);
      return provider.readDeposits(raw);
    });
  await expect.poll(() => found().at(-1)?.status).toBe('COMPLETED');
  return found();
};
const payoutsOf = async (reference: string) =>
  (await pay.books()).payouts.filter((payout) => payout.reference === reference);

const PROVIDERS = ['sandbox', 'nowpayments', 'btcpay'] as const;
const SECRETS = {
  sandbox: 'PAYMENT_WEBHOOK_SECRETS',
  nowpayments: 'NOWPAYMENTS_IPN_SECRETS',
  btcpay: 'BTCPAY_WEBHOOK_SECRETS',
} as const;

describe.each(PROVIDERS)('%s', (id) => {
  const order = { currencyId: 'BTC', networkId: 'bitcoin' };

  test('creates an address and reports received coins exactly', async () => {
    const provider = providerOf(id);
    const address = await provider.createAddress({ reference: aReference(), userId: 7, ...order });
    expect(WAValidator.validate(address.address, 'btc')).toBe(true);
    expect(address).toMatchObject({ memo: null, externalId: expect.stringMatching(/./) });
    const { txHash } = await pay.coins({
      ...order,
      address: address.address,
      amount: '90071992547.00000001',
    });
    const deposits = await paidIn(provider, address.address);
    expect(deposits.map(({ status }) => status)).toEqual(
      {
        sandbox: ['DETECTED', 'CONFIRMING', 'COMPLETED'],
        nowpayments: ['CONFIRMING', 'CONFIRMING', 'COMPLETED'],
        btcpay: ['DETECTED', 'COMPLETED'],
      }[id],
    );
    expect(new Set(deposits.map(({ externalId }) => externalId)).size).toBe(1);
    for (const deposit of deposits)
      expect(deposit).toMatchObject({
        ...order,
        payAddress: address.address,
        payMemo: null,
        outputIndex: 0,
        amount: 9_007_199_254_700_000_001n,
        at: expect.any(Date),
        txHash: id === 'nowpayments' ? `nowpayments:${address.externalId}` : txHash,
      });
  });

  test('reports a second payment to an address separately', async () => {
    const provider = providerOf(id);
    const { address } = await provider.createAddress({ reference: aReference(), userId: 7, ...order });
    for (const amount of ['0.1', '0.2']) {
      await pay.coins({ ...order, address, amount });
      await expect
        .poll(() => webhooksOf(provider, address).some(({ raw }) => raw.includes(amount)))
        .toBe(true);
    }
    await expect
      .poll(async () =>
        (await paidIn(provider, address))
          .filter(({ status }) => status === 'COMPLETED')
          .map(({ amount }) => amount),
      )
      .toEqual([units('0.1'), units('0.2')]);
    const keys = (await paidIn(provider, address)).map((one) => `${one.txHash} ${one.externalId}`);
    expect(new Set(keys).size).toBe(2);
  });

  test('pays out, and finds the payout by id and by reference', async () => {
    const provider = providerOf(id);
    const wanted = anOrder();
    const state = await provider.pay(wanted);
    expect(state).toMatchObject({
      status: 'PROCESSING',
      externalId: expect.stringMatching(/./),
      txHash: null,
      failedReason: null,
    });
    const lookUps = [state.externalId, null].map(
      (externalId) => () => provider.lookUp({ reference: wanted.reference, externalId, sentAt: new Date() }),
    );
    for (const lookUp of lookUps) {
      await expect.poll(async () => (await lookUp())?.status).toBe('COMPLETED');
      expect(await lookUp()).toMatchObject({
        externalId: state.externalId,
        txHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
    }
    expect(await payoutsOf(wanted.reference)).toMatchObject([
      { amount: '0.12345678', address: wanted.address, status: 'COMPLETED' },
    ]);
  });

  test('reports a payout as non-existent only when its request can no longer be in transit', async () => {
    const provider = providerOf(id);
    const lookUp = (sentAt: Date, externalId: string | null = null) =>
      provider.lookUp({ reference: aReference(), externalId, sentAt });
    const longAgo = new Date(Date.now() - ELEVEN_MINUTES_MS);
    expect(await lookUp(longAgo)).toBe(undefined);
    expect(await lookUp(longAgo, 'unknown')).toBe(undefined);
    // A repeated request is paid only once, so an early look-up does no harm.
    if (provider.repeatsSafely) expect(await lookUp(new Date())).toBe(undefined);
    else await expect(lookUp(new Date())).rejects.toThrow(Unanswered);
  });

  test('reports a rejected payout as failed with its reason, and pays nothing', async () => {
    await pay.behave({ payouts: 'refuse' });
    const wanted = anOrder();
    expect(await providerOf(id).pay(wanted)).toEqual({
      status: 'FAILED',
      externalId: null,
      txHash: null,
      confirmations: 0,
      failedReason: 'rejected by the sandbox',
    });
    expect(await payoutsOf(wanted.reference)).toEqual([]);
  });

  test('reports a payout that failed at the provider as failed', async () => {
    await pay.behave({ autoSettle: false });
    const provider = providerOf(id);
    const wanted = anOrder();
    const { externalId } = await provider.pay(wanted);
    const { reference } = wanted;
    await pay.settle(reference, 'FAILED', 'no funds');
    expect(await provider.lookUp({ reference, externalId, sentAt: new Date() })).toMatchObject({
      status: 'FAILED',
      failedReason: id === 'btcpay' ? 'cancelled' : 'no funds',
    });
  });

  test.each([
    ['timeout-before', 0],
    ['timeout-after', 1],
    ['error-before', 0],
    ['error-after', 1],
    ['reset', 1],
    ['garbage', 1],
    ['wrong-types', 1],
    ['redirect', 0],
  ])('treats the outcome of a payout as unknown until a query finds it (%s)', async (mode, paid) => {
    // The timeout is long enough to send the request on a busy machine, and short enough for the test to end soon when no response arrives.
    const provider = providerOf(id, {}, mode.startsWith('timeout') ? 1500 : undefined);
    await pay.behave({ payouts: mode });
    const wanted = anOrder();
    await expect(provider.pay(wanted)).rejects.toThrow(Unanswered);
    expect(await payoutsOf(wanted.reference)).toHaveLength(paid);
    const sentAt = new Date(Date.now() - ELEVEN_MINUTES_MS);
    const found = await provider.lookUp({ reference: wanted.reference, externalId: null, sentAt });
    expect(found === undefined).toBe(paid === 0);
    if (!provider.repeatsSafely) return;
    await pay.behave();
    await provider.pay(wanted);
    expect(await payoutsOf(wanted.reference)).toHaveLength(1);
  });

  test('reports a request as not sent if the key is rejected or the provider is unreachable', async () => {
    const wrong = { PAYMENT_API_KEY: 'wrong', NOWPAYMENTS_API_KEY: 'wrong', BTCPAY_API_KEY: 'wrong' };
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const nobody = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
    closed.close();
    const away = { PAYMENT_API_URL: nobody, NOWPAYMENTS_API_URL: nobody, BTCPAY_URL: nobody };
    for (const provider of [providerOf(id, wrong), providerOf(id, away)]) {
      const wanted = anOrder();
      await expect(provider.pay(wanted)).rejects.toThrow(NotSent);
      await expect(provider.createAddress({ reference: aReference(), userId: 7, ...order })).rejects.toThrow(
        NotSent,
      );
      await expect(
        provider.lookUp({ reference: wanted.reference, externalId: null, sentAt: new Date(0) }),
      ).rejects.toThrow(NotSent);
      expect(await payoutsOf(wanted.reference)).toEqual([]);
    }
  });

  test('accepts a signature only if exactly these bytes were signed', async () => {
    const provider = providerOf(id);
    const { address } = await provider.createAddress({ reference: aReference(), userId: 7, ...order });
    await pay.coins({ ...order, address, amount: '0.5', status: 'DETECTED' });
    await expect.poll(() => webhooksOf(provider, address)).toHaveLength(1);
    const { raw, headers } = webhooksOf(provider, address)[0]!;
    const [name, value] = Object.entries(headers).find(([key]) => /sig/.test(key)) as [string, string];
    expect(provider.isSigned(raw, headers)).toBe(true);
    const changed = [
      raw.toString().replace('0.5', '5.0'),
      raw.toString().replace('0.5', '0.50'),
      raw.toString().replace(address, `${address} `),
      raw.toString().slice(0, -1),
      raw.toString().slice(0, -2),
      '',
      'null',
    ];
    // Whitespace between fields is not part of the document that NOWPayments signs.
    if (id !== 'nowpayments') changed.push(`${raw} `, JSON.stringify(JSON.parse(raw.toString()), null, 1));
    for (const body of changed) expect(provider.isSigned(Buffer.from(body), headers), body).toBe(false);
    const flipped = value.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    for (const header of ['', value.slice(0, -1), `${value}, ${value}`, flipped, undefined])
      expect(provider.isSigned(raw, { [name]: header })).toBe(false);
    expect(provider.isSigned(raw, { [name]: [value, value] as unknown as string })).toBe(false);
    for (const other of PROVIDERS)
      if (other !== id) expect(providerOf(other).isSigned(raw, headers)).toBe(false);
    expect(providerOf(id, { [SECRETS[id]]: 'another-secret-than-that' }).isSigned(raw, headers)).toBe(false);
  });

  test('accepts both secrets during a rotation, and only the new one afterwards', async () => {
    const [old, fresh] = ['the-old-secret-0123456789', 'the-new-secret-0123456789'];
    const webhook = async (secret: string) => {
      vi.stubEnv(SECRETS[id], `${secret},another-one-0123456789`);
      const { address } = await providerOf(id).createAddress({
        reference: aReference(),
        userId: 7,
        ...order,
      });
      await pay.coins({ ...order, address, amount: '1', status: 'DETECTED' });
      await expect.poll(() => webhooksOf(providerOf(id), address)).toHaveLength(1);
      return webhooksOf(providerOf(id), address)[0]!;
    };
    const [before, after] = [await webhook(old), await webhook(fresh)];
    const isSigned = (secrets: string, { raw, headers }: Webhook) =>
      providerOf(id, { [SECRETS[id]]: secrets }).isSigned(raw, headers);
    expect([isSigned(old, before), isSigned(old, after)]).toEqual([true, false]);
    for (const window of [`${old},${fresh}`, `${fresh}, ${old}`])
      expect([isSigned(window, before), isSigned(window, after)]).toEqual([true, true]);
    expect([isSigned(fresh, before), isSigned(fresh, after)]).toEqual([false, true]);
  });

  test.each(['[]', '"text"', '1', '{}', '{"amount":', '{"a":1,"a":1}', `${'['.repeat(40)}${']'.repeat(40)}`])(
    'a webhook %s is rejected or ignored',
    (text) => {
      for (const read of ['readDeposits', 'readPayouts'] as const) {
        let said: unknown;
        try {
          said = providerOf(id)[read](Buffer.from(text));
        } catch (error) {
          expect(error).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
          continue;
        }
        expect(said).toEqual([]);
      }
    },
  );
});

describe('sandbox', () => {
  test('accepts a signature within WEBHOOK_TOLERANCE_SECONDS in both directions', () => {
    const provider = providerOf('sandbox', { WEBHOOK_TOLERANCE_SECONDS: '60' });
    const raw = Buffer.from('{}');
    const now = Math.floor(Date.now() / 1000);
    const at = (seconds: number) =>
      provider.isSigned(raw, { 'x-signature': signatureOf(raw, 'sandbox-payment-webhook-secret', seconds) });
    expect([now, now - 58, now + 58].map(at)).toEqual([true, true, true]);
    expect([now - 62, now + 62, now * 1000].map(at)).toEqual([false, false, false]);
  });

  test('returns the same address when a reference is repeated, and pays a repeated reference only once', async () => {
    const provider = providerOf('sandbox');
    const request = { reference: aReference(), userId: 7, currencyId: 'XRP', networkId: 'ripple' };
    const first = await provider.createAddress(request);
    expect(await provider.createAddress(request)).toEqual(first);
    const other = await provider.createAddress({ ...request, reference: aReference() });
    expect(other.address).toBe(first.address);
    expect([first.memo, other.memo].every((memo) => /^\d{1,10}$/.test(memo!))).toBe(true);
    expect(other.memo).not.toBe(first.memo);

    const wanted = anOrder();
    const states = await Promise.all(Array.from({ length: 20 }, () => provider.pay(wanted)));
    expect(new Set(states.map(({ externalId }) => externalId)).size).toBe(1);
    expect(await payoutsOf(wanted.reference)).toHaveLength(1);
    // A different payout with the same reference is neither paid nor reported as failed.
    await expect(provider.pay({ ...wanted, amount: 1n })).rejects.toThrow(Unanswered);
  });

  test('reports payouts in webhooks', async () => {
    const provider = providerOf('sandbox');
    const { reference } = anOrder();
    await provider.pay(anOrder({ reference }));
    const said = () => webhooks.filter(({ raw }) => raw.includes(`"${reference}"`));
    await expect.poll(() => said().length).toBe(3);
    const read = said().flatMap(({ raw, headers, path }) => {
      expect(path).toBe('/webhooks/payments/sandbox/withdrawal');
      expect(provider.isSigned(raw, headers)).toBe(true);
      return provider.readPayouts(raw);
    });
    expect(read.map(({ status }) => status)).toEqual(['PROCESSING', 'SENT', 'COMPLETED']);
    expect(read[2]).toMatchObject({ reference, txHash: expect.any(String), at: expect.any(Date) });
  });

  test('ignores a response about another payout and a 404 from another server', async () => {
    const server = createServer((request, response) => {
      const isPay = request.method === 'POST';
      const other = { reference: 'other', externalId: 'x', status: 'COMPLETED', txHash: null };
      response.writeHead(isPay ? 201 : 404, { 'content-type': 'application/json' });
      const missing = { error: 'NOT_FOUND', reference: 'other' };
      response.end(JSON.stringify(isPay ? { ...other, confirmations: 0, failedReason: null } : missing));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const provider = providerOf('sandbox', { PAYMENT_API_URL: url });
    await expect(provider.pay(anOrder())).rejects.toThrow('about another payout');
    await expect(
      provider.lookUp({ reference: aReference(), externalId: null, sentAt: new Date(0) }),
    ).rejects.toThrow(Unanswered);
    server.close();
  });
});

describe('nowpayments', () => {
  test('confirms payouts with the second factor, and retries a lost confirmation', async () => {
    const secret = generateSecret();
    vi.stubEnv('NOWPAYMENTS_TOTP_SECRET', secret);
    const provider = providerOf('nowpayments', { NOWPAYMENTS_TOTP_SECRET: secret });
    const other = providerOf('nowpayments', { NOWPAYMENTS_TOTP_SECRET: generateSecret() });
    const [good, lost] = [anOrder(), anOrder()];
    const { externalId } = await other.pay(lost);
    await provider.pay(good);
    const status = async ({ reference }: PayoutRequest, from: PaymentProvider) =>
      (await from.lookUp({ reference, externalId: null, sentAt: new Date() }))?.status;
    await expect.poll(() => status(good, provider)).toBe('COMPLETED');
    expect(await status(lost, other)).toBe('PROCESSING');
    expect((await payoutsOf(lost.reference))[0]).toMatchObject({ status: 'PROCESSING', txHash: null });
    await expect.poll(() => status(lost, provider)).toBe('COMPLETED');
    expect(externalId).toMatch(/^\d+$/);
  });

  test("reports payouts in webhooks by the platform's reference", async () => {
    const provider = providerOf('nowpayments');
    const wanted = anOrder({ currencyId: 'XRP', networkId: 'ripple', memo: '77' });
    await provider.pay(wanted);
    const said = () => webhooks.filter(({ raw }) => raw.includes(`"${wanted.reference}"`));
    await expect.poll(() => said().length).toBe(3);
    const read = said().flatMap(({ raw, headers }) => {
      expect(provider.isSigned(raw, headers)).toBe(true);
      return provider.readPayouts(raw);
    });
    expect(read.map(({ status }) => status)).toEqual(['PROCESSING', 'SENT', 'COMPLETED']);
    expect(read.every(({ reference }) => reference === wanted.reference)).toBe(true);
    expect(await payoutsOf(wanted.reference)).toMatchObject([{ memo: '77' }]);
  });

  test.each([
    ['partially_paid', '0.5', ['COMPLETED']],
    ['finished', '1e-8', ['COMPLETED']],
    ['refunded', '1', ['REVERSED']],
    ['failed', '1', ['FAILED']],
    ['expired', '1', ['EXPIRED']],
    ['expired', '0', []],
    ['waiting', '0', []],
    ['confirming', '0', []],
    ['confirming', 'null', []],
  ])('maps the status %s with a paid amount of %s', (status, paid, expected) => {
    const text = `{"payment_id":5,"payment_status":"${status}","pay_address":"a","pay_currency":"usdttrc20","actually_paid":${paid},"pay_amount":20}`;
    const said = providerOf('nowpayments').readDeposits(Buffer.from(text));
    expect(said.map((one) => one.status)).toEqual(expected);
    for (const one of said) expect(one).toMatchObject({ currencyId: 'USDT', networkId: 'tron' });
  });

  test.each([
    [{ pay_currency: 'usdcmatic' }, { flaws: ['CURRENCY_UNKNOWN'], currencyId: 'USDCMATIC', networkId: '' }],
    [{ payment_status: 'odd' }, { flaws: ['STATUS_UNKNOWN'], status: 'DETECTED', amount: units('1') }],
    [{ actually_paid: '' }, { flaws: ['AMOUNT_UNREADABLE'], amount: 0n }],
    [{ actually_paid: null }, { flaws: ['AMOUNT_UNREADABLE'], amount: 0n }],
    [{ actually_paid: -1 }, { flaws: ['AMOUNT_UNREADABLE'], amount: 0n, reported: { amount: '-1' } }],
    [{ actually_paid: { value: 1 } }, { flaws: ['AMOUNT_UNREADABLE'], amount: 0n }],
    [
      { actually_paid: '90000000000000' },
      { flaws: ['AMOUNT_UNREADABLE'], reported: { amount: '90000000000000' } },
    ],
    [
      { more: 1, fee: { nested: true } },
      { flaws: [], amount: units('1') },
    ],
    [
      { pay_currency: 'usdcmatic', outcome_amount: 49.5, outcome_currency: 'usdttrc20' },
      { outcome: { currencyId: 'USDT', networkId: 'tron', amount: units('49.5') } },
    ],
  ])('reports a payment with the fields %j and its flaws', (change, expected) => {
    const good = { payment_id: 5, payment_status: 'finished', pay_address: 'a', pay_currency: 'btc' };
    const raw = Buffer.from(JSON.stringify({ ...good, actually_paid: 1, ...change }));
    expect(providerOf('nowpayments').readDeposits(raw)).toMatchObject([expected]);
  });

  test.each([
    ['10', '10'],
    ['10.0', '10'],
    ['1e1', '10'],
    ['1E+1', '10'],
    ['1000E-2', '10'],
    ['"10"', '10'],
    ['0.1e2', '10'],
    ['10.123456789999999999999', '10.12345678'],
    [`10.${'0'.repeat(200)}1`, '10'],
    ['90071992547.00000001', '90071992547.00000001'],
  ])('reads the amount %s exactly', (spelling, amount) => {
    const raw = `{"payment_id":5,"payment_status":"finished","pay_address":"a","pay_currency":"btc","actually_paid":${spelling}}`;
    expect(providerOf('nowpayments').readDeposits(Buffer.from(raw))).toMatchObject([
      { amount: units(amount) },
    ]);
  });

  test('finds a payout by its id when our reference is missing, and keeps the outcome unknown if another payout used the address', async () => {
    const record = { id: '7', status: 'FINISHED', hash: '', unique_external_id: '', address: 'a' };
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url!, 'http://x');
      const list = { payouts: searchParams.get('page') === '0' ? [record] : [] };
      const answers: Record<string, object> = { '/v1/auth': { token: 't' }, '/v1/payout': list };
      response.end(JSON.stringify(answers[pathname] ?? [record]));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const provider = providerOf('nowpayments', { NOWPAYMENTS_API_URL: url });
    const asked = { reference: aReference(), sentAt: new Date(0) };
    expect(await provider.lookUp({ ...asked, externalId: '7', address: 'a' })).toMatchObject({
      status: 'COMPLETED',
      externalId: '7',
      txHash: null,
    });
    await expect(provider.lookUp({ ...asked, externalId: null, address: 'A' })).rejects.toThrow(Unanswered);
    expect(await provider.lookUp({ ...asked, externalId: null, address: 'b' })).toBe(undefined);
    server.close();
  });

  test('opens a new session after the previous one has expired', async () => {
    const provider = providerOf('nowpayments');
    await provider.pay(anOrder());
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5 * 60_000 });
    try {
      expect(await provider.pay(anOrder())).toMatchObject({ status: 'PROCESSING' });
    } finally {
      vi.useRealTimers();
    }
  });
});

test.each([
  ['nowpayments', { currencyId: 'EUR', networkId: 'sepa' }],
  ['btcpay', { currencyId: 'USDT', networkId: 'tron' }],
])('rejects a currency that %s does not support', async (id, method) => {
  const provider = providerOf(id);
  await expect(
    provider.createAddress({ reference: aReference(), userId: 7, ...method }),
  ).rejects.toMatchObject({ code: 'PAYMENT_METHOD_NOT_FOUND' });
  expect(await provider.pay(anOrder(method))).toMatchObject({ status: 'FAILED' });
});

test('ignores BTCPay webhooks for another store, type or chain', () => {
  const provider = providerOf('btcpay');
  const payment = { id: `${'a'.repeat(64)}-1`, value: '1', status: 'Settled', destination: 'a' };
  const event = { type: 'InvoicePaymentSettled', storeId: 'store', paymentMethodId: 'BTC-CHAIN', payment };
  const read = (change: object) =>
    provider.readDeposits(Buffer.from(JSON.stringify({ ...event, ...change })));
  expect(read({})).toMatchObject([{ status: 'COMPLETED', outputIndex: 1, amount: units('1') }]);
  for (const change of [{ storeId: 'other' }, { type: 'InvoiceSettled' }, { type: 'InvoiceExpired' }])
    expect(read(change)).toEqual([]);
  expect(() => read({ payment: { ...payment, id: 'odd' } })).toThrow();
});

test('finds a BTCPay payout in a list of 5 MB with arbitrary metadata', async () => {
  const reference = aReference();
  const others = Array.from({ length: 5000 }, (_, i) => ({
    id: `p${i}`,
    state: 'Completed',
    paymentProof: { id: 'not a token' },
    metadata: [null, { reference: 5 }, { note: 'x'.repeat(2000) }][i % 3],
  }));
  const ours = { id: 'ours', state: 'Completed', paymentProof: { id: 'ab' }, metadata: { reference } };
  const server = createServer((_, response) => response.end(JSON.stringify([...others, ours])));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = createProviders({ config: configOf({ BTCPAY_URL: url }), log }).get('btcpay');
  expect(await provider.lookUp({ reference, externalId: null, sentAt: new Date(0) })).toMatchObject({
    status: 'COMPLETED',
    externalId: 'ours',
    txHash: 'ab',
  });
  server.close();
});

test('creates only the configured providers', () => {
  const production = {
    NOWPAYMENTS_API_KEY: '',
    BTCPAY_API_KEY: '',
    BTCPAY_URL: '',
    PAYMENT_PROVIDER: 'sandbox',
  };
  const providers = createProviders({ config: configOf(production), log });
  expect(providers.active?.id).toBe('sandbox');
  for (const id of ['nowpayments', 'btcpay', 'unknown', '__proto__', ''])
    expect(() => providers.get(id)).toThrow(
      expect.objectContaining({ status: 404, code: 'PROVIDER_NOT_FOUND' }),
    );
  const active = (PAYMENT_PROVIDER: string) =>
    createProviders({ config: configOf({ PAYMENT_PROVIDER }), log }).active?.id;
  expect(PROVIDERS.map(active)).toEqual([...PROVIDERS]);
});
