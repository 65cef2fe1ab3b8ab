import { createGuardrails, verify } from 'otplib';
import { type Endpoint, json, type SandboxAnswer, type SandboxRequest, setting, text } from './endpoint.ts';
import { parseAmount } from './payments-amounts.ts';
import { type Dialect, exact, parseNumbersAsText } from './payments-dialect.ts';
import { CODES, type Desk, recordOf, webhooksOf } from './payments-nowpayments-webhooks.ts';

const BASE = '/payments/nowpayments/v1';
const SHORT_SECRETS = createGuardrails({ MIN_SECRET_BYTES: 10 });
type Handle = Endpoint['handle'];

/**
 * The dialect of NOWPayments. Every request gets a new address, payouts wait for a second factor, and the same reference may be paid twice.
 */
export function nowpayments(dialect: Dialect) {
  let last = 5_000_000_000;
  const desk: Desk = {
    books: dialect.books,
    nextId: () => String(++last),
    payments: new Map(),
    callbacks: new Map(),
    ids: new Map(),
    unconfirmed: new Set(),
    tokens: new Set(),
  };
  return { endpoints: endpointsOf(desk, dialect.answer), ...webhooksOf(desk) };
}

function endpointsOf(desk: Desk, answer: Dialect['answer']): Endpoint[] {
  const refuse =
    (code: string, status = 400) =>
    () =>
      refusal(status, code, 'rejected by the sandbox');
  const payout = (handle: Handle) => withKey(withSession(desk, handle));
  return [
    {
      method: 'POST',
      path: `${BASE}/auth`,
      about: 'NOWPayments: returns a token for payouts, for NOWPAYMENTS_EMAIL and NOWPAYMENTS_PASSWORD.',
      example: '{ "email": "…", "password": "…" }',
      handle: (request) => signIn(desk, request),
    },
    {
      method: 'POST',
      path: `${BASE}/payment`,
      about: 'NOWPayments: creates a payment, each with a new address. Header x-api-key.',
      example:
        '{ "price_amount": 20, "price_currency": "usd", "pay_currency": "usdttrc20", "order_id": "7" }',
      handle: withKey(answer('addresses', (request) => openPayment(desk, request), refuse('BAD_REQUEST'))),
    },
    {
      method: 'POST',
      path: `${BASE}/payout`,
      about:
        'NOWPayments: pays out. A repeated request pays again. With NOWPAYMENTS_TOTP_SECRET the payout waits for the second factor. ' +
        'Bearer token.',
      example:
        '{ "withdrawals": [{ "address": "T…", "currency": "usdttrc20", "amount": 25, "unique_external_id": "w-1" }] }',
      handle: payout(
        answer('payouts', (request) => pay(desk, request), refuse('BAD_CREATE_WITHDRAWAL_REQUEST')),
      ),
    },
    {
      method: 'POST',
      path: `${BASE}/payout/{batch}/verify`,
      about: 'NOWPayments: verifies the second factor of a batch.',
      example: '{ "verification_code": "123456" }',
      handle: payout((request) => confirm(desk, request)),
    },
    {
      method: 'GET',
      path: `${BASE}/payout/{id}`,
      about: 'NOWPayments: returns a list with the payout of this id.',
      handle: payout(answer('lookups', (request) => find(desk, request), refuse('NOT_FOUND', 404))),
    },
    {
      method: 'GET',
      path: `${BASE}/payout`,
      about:
        'NOWPayments: lists payouts between date_from and date_to, with at most limit payouts on a page.',
      handle: payout(answer('lookups', (request) => list(desk, request), refuse('BAD_REQUEST'))),
    },
  ];
}

const withKey =
  (handle: Handle): Handle =>
  (request) =>
    request.headers['x-api-key'] === setting('NOWPAYMENTS_API_KEY', 'sandbox-nowpayments-key')
      ? handle(request)
      : refusal(403, 'INVALID_API_KEY', 'Invalid api key');

const withSession =
  ({ tokens }: Desk, handle: Handle): Handle =>
  (request) =>
    tokens.has(request.headers.authorization?.replace('Bearer ', '') ?? '')
      ? handle(request)
      : refusal(401, 'AUTH_REQUIRED', 'Authorization required');

function signIn({ tokens }: Desk, { body }: SandboxRequest): SandboxAnswer {
  const { email = '', password = '' } = parseNumbersAsText(body) as Record<string, string>;
  const isKnown =
    setting('NOWPAYMENTS_EMAIL', email) === email && setting('NOWPAYMENTS_PASSWORD', password) === password;
  if (!email || !password || !isKnown) return refusal(403, 'AUTH_FAILED', 'Wrong email or password');
  const token = crypto.randomUUID();
  tokens.add(token);
  return json(200, { token });
}

function openPayment({ books, nextId, callbacks }: Desk, { body }: SandboxRequest): SandboxAnswer {
  const input = parseNumbersAsText(body) as Record<string, string>;
  const {
    price_amount = '',
    price_currency,
    pay_currency = '',
    order_id = '',
    ipn_callback_url = '',
  } = input;
  const [currencyId, networkId] = CODES[pay_currency] ?? [];
  if (!currencyId || !networkId || !parseAmount(price_amount) || price_currency !== 'usd')
    return refusal(400, 'BAD_REQUEST', 'price_amount, price_currency and pay_currency are needed');
  const externalId = nextId();
  const order = { dialect: 'nowpayments', reference: `${order_id}#${externalId}`, externalId } as const;
  const account = books.open({ ...order, currencyId, networkId })!;
  callbacks.set(externalId, ipn_callback_url);
  return json(201, {
    payment_id: externalId,
    payment_status: 'waiting',
    order_id,
    pay_address: account.address,
    payin_extra_id: account.memo,
    pay_currency,
    price_amount: exact(price_amount),
    price_currency,
    created_at: new Date().toISOString(),
  });
}

function pay(desk: Desk, { body }: SandboxRequest): SandboxAnswer {
  const { withdrawals = [] } = parseNumbersAsText(body) as { withdrawals?: Record<string, string>[] };
  const orders = withdrawals.map(({ currency = '', amount, address = '', extra_id, unique_external_id }) => {
    const [currencyId = '', networkId = ''] = CODES[currency] ?? [];
    const coins = { currencyId, networkId, amount: parseAmount(amount) ?? 0n };
    return { ...coins, address, memo: extra_id ?? null, reference: unique_external_id ?? '' };
  });
  if (orders.length === 0 || orders.some((o) => !o.currencyId || !o.address || o.amount === 0n))
    return refusal(400, 'BAD_CREATE_WITHDRAWAL_REQUEST', 'Invalid payout_currency or amount');
  const batchId = desk.nextId();
  const isHeld = setting('NOWPAYMENTS_TOTP_SECRET', '') !== '';
  const made = orders.map((order) => {
    const payout = desk.books.pay('nowpayments', order, { isHeld });
    desk.ids.set(payout.externalId, { id: desk.nextId(), batchId });
    if (isHeld) desk.unconfirmed.add(payout.externalId);
    return recordOf(desk, payout);
  });
  return json(200, { id: batchId, withdrawals: made });
}

async function confirm(desk: Desk, { params, body }: SandboxRequest): Promise<SandboxAnswer> {
  const { verification_code: token = '' } = parseNumbersAsText(body) as Record<string, string>;
  const secret = setting('NOWPAYMENTS_TOTP_SECRET', '');
  const isCode = /^\d{6}$/.test(token);
  const isRight = !secret || (isCode && (await verify({ secret, token, guardrails: SHORT_SECRETS })).valid);
  if (!isRight) return refusal(400, 'BAD_REQUEST', 'Invalid verification code');
  for (const payout of desk.books.payouts('nowpayments')) {
    if (desk.ids.get(payout.externalId)?.batchId !== params.batch) continue;
    if (desk.unconfirmed.delete(payout.externalId)) desk.books.release(payout);
  }
  return text(200, 'OK');
}

function find(desk: Desk, { params }: SandboxRequest): SandboxAnswer {
  const payouts = desk.books.payouts('nowpayments');
  const found = payouts.find(({ externalId }) => desk.ids.get(externalId)?.id === params.id);
  return found ? json(200, [recordOf(desk, found)]) : refusal(404, 'NOT_FOUND', 'no payout');
}

function list(desk: Desk, { query }: SandboxRequest): SandboxAnswer {
  const [from, to] = [query.get('date_from'), query.get('date_to')].map((at) => at && new Date(at));
  const [limit, page] = [Number(query.get('limit') ?? 10), Number(query.get('page') ?? 0)];
  const found = desk.books
    .payouts('nowpayments')
    .filter(({ at }) => (!from || at >= from) && (!to || at <= to))
    .slice(page * limit, (page + 1) * limit);
  return json(200, { payouts: found.map((payout) => recordOf(desk, payout)) });
}

const refusal = (statusCode: number, code: string, message: string) =>
  json(statusCode, { status: false, statusCode, code, message });
