import { describe, expect, test } from 'vitest';
import { gameProviders } from '../../../../../../test/kit/games/game-providers.ts';
import { units } from '../../../../../platform/money.ts';
import type { WalletResponse, WalletStatus } from '../../engine/call.ts';

const providers = gameProviders();
const AT = new Date('2026-11-24T16:00:00.123Z');
const DONE = { id: 't-1', transactionId: '901', at: AT, isRepeated: false };
const answerOf = (change: Partial<WalletResponse> = {}): WalletResponse => ({
  status: 'OK',
  balance: units('115.98765432'),
  currencyId: 'USDT',
  actions: [],
  isRepeated: false,
  ...change,
});
const say = (
  dialect: string,
  action: string,
  change: Partial<WalletResponse>,
  context: unknown = undefined,
) => providers.get(dialect).answer(action, answerOf(change), context);

/** The table of section 3 in providers.md. */
const TABLE: readonly (readonly [WalletStatus, string, string, readonly [number, number], number])[] = [
  ['INVALID_REQUEST', 'INVALID_REQUEST', 'RS_ERROR_WRONG_SYNTAX', [400, 400], 7],
  ['INVALID_TYPE', 'INVALID_REQUEST', 'RS_ERROR_WRONG_TYPES', [400, 400], 7],
  ['INVALID_CURRENCY', 'INVALID_REQUEST', 'RS_ERROR_WRONG_CURRENCY', [400, 400], 7],
  ['INVALID_TOKEN', 'INVALID_TOKEN', 'RS_ERROR_INVALID_TOKEN', [412, 101], 4],
  ['TOKEN_EXPIRED', 'INVALID_TOKEN', 'RS_ERROR_TOKEN_EXPIRED', [412, 101], 4],
  ['PLAYER_NOT_FOUND', 'PLAYER_NOT_FOUND', 'RS_ERROR_UNKNOWN', [412, 101], 2],
  ['PLAYER_BLOCKED', 'PLAYER_BLOCKED', 'RS_ERROR_USER_DISABLED', [412, 110], 6],
  ['LIMIT_EXCEEDED', 'LIMIT_EXCEEDED', 'RS_ERROR_LIMIT_REACHED', [412, 105], 50],
  ['GAME_UNAVAILABLE', 'GAME_UNAVAILABLE', 'RS_ERROR_INVALID_GAME', [412, 107], 8],
  ['INSUFFICIENT_FUNDS', 'INSUFFICIENT_FUNDS', 'RS_ERROR_NOT_ENOUGH_MONEY', [412, 100], 1],
  ['ROUND_CLOSED', 'ROUND_CLOSED', 'RS_ERROR_UNKNOWN', [412, 400], 120],
  ['TRANSACTION_NOT_FOUND', 'TRANSACTION_NOT_FOUND', 'RS_ERROR_TRANSACTION_DOES_NOT_EXIST', [412, 404], 120],
  ['TRANSACTION_CONFLICT', 'TRANSACTION_CONFLICT', 'RS_ERROR_DUPLICATE_TRANSACTION', [412, 400], 7],
  ['INTERNAL_ERROR', 'INTERNAL_ERROR', 'RS_ERROR_UNKNOWN', [500, 500], 100],
];

describe.each(TABLE)('%s', (status, generic, hub88, [http, code], pragmatic) => {
  test('maps the status to every dialect, with and without a balance', () => {
    for (const known of [{}, { balance: null, currencyId: null }]) {
      expect(say('generic', '', { status, ...known })).toMatchObject({
        status: 200,
        body: { status: generic },
      });
      expect(say('hub88', 'transaction/bet', { status, ...known })).toMatchObject({
        status: 200,
        body: { status: hub88 },
      });
      expect(say('softswiss', 'play', { status, ...known })).toMatchObject({
        status: http,
        body: { code, message: expect.any(String) },
      });
      expect(say('pragmatic', 'bet.html', { status, ...known })).toMatchObject({
        status: 200,
        body: { error: pragmatic, description: expect.any(String) },
      });
    }
  });
});

test('rejects an invalid signature in each dialect', () => {
  const status = 'BAD_SIGNATURE';
  const nobody = { status, balance: null, currencyId: null } as const;
  expect(() => say('generic', '', nobody)).toThrow(
    expect.objectContaining({ status: 401, code: 'SIGNATURE_INVALID' }),
  );
  expect(say('hub88', 'user/info', nobody)).toEqual({
    status: 200,
    body: { status: 'RS_ERROR_INVALID_SIGNATURE' },
  });
  expect(say('softswiss', 'play', nobody)).toMatchObject({ status: 403, body: { code: 403 } });
  expect(say('pragmatic', 'bet.html', nobody)).toMatchObject({ status: 200, body: { error: 5 } });
});

test("returns the dialect's status when a transaction arrives after its tombstone", () => {
  const late = { status: 'ROLLED_BACK', actions: [DONE] } as const;
  expect(say('generic', '', late).body).toMatchObject({ status: 'TRANSACTION_CONFLICT' });
  expect(say('hub88', 'transaction/bet', late).body).toMatchObject({
    status: 'RS_ERROR_TRANSACTION_ROLLED_BACK',
  });
  expect(say('softswiss', 'play', late)).toMatchObject({
    status: 200,
    body: { transactions: [{ tx_id: '901' }] },
  });
  expect(say('pragmatic', 'bet.html', late).body).toMatchObject({ error: 120 });
});

test('writes responses in the generic format', () => {
  expect(say('generic', '', { actions: [DONE] })).toEqual({
    status: 200,
    body: {
      status: 'OK',
      balance: '115.98765432',
      currency: 'USDT',
      transactionId: '901',
      alreadyProcessed: false,
    },
  });
  expect(say('generic', '', { isRepeated: true, currencyId: 'USD' }).body).toMatchObject({
    alreadyProcessed: true,
    currency: 'US$',
  });
  expect(say('generic', '', { status: 'PLAYER_NOT_FOUND', balance: null, currencyId: null }).body).toEqual({
    status: 'PLAYER_NOT_FOUND',
    balance: null,
    currency: null,
    transactionId: null,
    alreadyProcessed: false,
  });
});

describe('Hub88', () => {
  const context = { user: '42', requestId: 'q-1' };
  test("returns the call's user and request id, and the balance in units of 10^-5", () => {
    expect(say('hub88', 'transaction/win', { actions: [DONE], country: 'DE' }, context)).toEqual({
      status: 200,
      body: { user: '42', status: 'RS_OK', request_uuid: 'q-1', currency: 'USDT', balance: 11_598_765 },
    });
    expect(say('hub88', 'user/info', { country: 'DE' }, context).body).toMatchObject({ country: 'DE' });
    expect(say('hub88', 'user/info', { country: null }, context).body).not.toHaveProperty('country');
  });
  test('shows a balance below 0.00002 BTC as 1', () => {
    const body = say('hub88', 'user/balance', { balance: units('0.00001999'), currencyId: 'BTC' }).body;
    expect(body).toMatchObject({ currency: 'BTC', balance: 1 });
  });
  test('includes the balance in the error for insufficient funds', () => {
    expect(say('hub88', 'transaction/bet', { status: 'INSUFFICIENT_FUNDS' }, context).body).toMatchObject({
      balance: 11_598_765,
    });
  });
});

describe('SOFTSWISS', () => {
  test('returns balance, round and transactions', () => {
    const actions = [DONE, { ...DONE, id: 't-2', transactionId: '902', isRepeated: true }];
    expect(say('softswiss', 'play', { actions }, { round: 'r-1' })).toEqual({
      status: 200,
      body: {
        balance: 11_598,
        game_id: 'r-1',
        transactions: [
          { action_id: 't-1', tx_id: '901', processed_at: '2026-11-24T16:00:00.123Z' },
          { action_id: 't-2', tx_id: '902', processed_at: '2026-11-24T16:00:00.123Z' },
        ],
      },
    });
    expect(say('softswiss', 'play', {}, { round: undefined }).body).toEqual({
      balance: 11_598,
      transactions: [],
    });
  });
  test('includes a balance in a rejection only for insufficient funds', () => {
    expect(say('softswiss', 'play', { status: 'INSUFFICIENT_FUNDS' }).body).toMatchObject({
      balance: 11_598,
    });
    expect(say('softswiss', 'play', { status: 'ROUND_CLOSED' }).body).not.toHaveProperty('balance');
  });
  test('writes amounts exactly even if a float cannot represent them', () => {
    const big = gameProviders({
      change: { softswiss: { currencies: [{ ours: 'BTC', code: 'BTC', decimals: 8 }] } },
    });
    const answer = answerOf({ balance: 9_007_199_254_740_993n, currencyId: 'BTC' });
    const { body } = big.get('softswiss').answer('play', answer, undefined);
    expect(JSON.stringify(body)).toContain('"balance":9007199254740993,');
  });
});

describe('Pragmatic Play', () => {
  const money = { currency: 'USDT', cash: '115.98', bonus: '0' };
  const success = { error: 0, description: 'Success' };
  const told = (action: string, change: Partial<WalletResponse> = { actions: [DONE] }) =>
    say('pragmatic', action, change, { userId: '42' }).body;

  test('returns the required fields for each call', () => {
    expect(told('bet.html')).toEqual({ transactionId: '901', ...money, usedPromo: '0', ...success });
    expect(told('result.html')).toEqual({ transactionId: '901', ...money, ...success });
    expect(told('refund.html')).toEqual({ transactionId: '901', ...success });
    expect(told('refund.html', {})).toEqual(success);
    expect(told('balance.html', {})).toEqual({ ...money, ...success });
    expect(told('endRound.html', {})).toEqual({ ...money, ...success });
  });
  test('returns the player even if only the token was sent', () => {
    expect(told('authenticate.html', { country: 'DE' })).toEqual({
      userId: '42',
      country: 'DE',
      ...money,
      ...success,
    });
    const { body } = say('pragmatic', 'authenticate.html', { playerId: '7' }, { userId: undefined });
    expect(body).toMatchObject({ userId: '7' });
  });
  test('always writes amounts with two decimal places', () => {
    expect(told('balance.html', { balance: units('5') })).toMatchObject({ cash: '5.00' });
    expect(told('balance.html', { balance: 0n })).toMatchObject({ cash: '0.00' });
  });
});
