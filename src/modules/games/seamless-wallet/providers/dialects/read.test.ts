import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Dialect,
  gameProviders,
  pragmaticForm,
} from '../../../../../../test/kit/games/game-providers.ts';
import { AppError } from '../../../../../platform/errors.ts';
import { units } from '../../../../../platform/money.ts';

const providers = gameProviders();
const read = (dialect: Dialect, action: string, body: string, all = providers) =>
  all.get(dialect).read(action, Buffer.from(body));
const json = (dialect: Dialect, action: string, body: unknown) => read(dialect, action, JSON.stringify(body));
const form = (action: string, fields: Record<string, string>, all = providers) =>
  read('pragmatic', `${action}.html`, pragmaticForm(fields), all);
const callOf = (result: ReturnType<typeof read>) => {
  if (!('call' in result)) throw new Error(JSON.stringify(result));
  return result.call;
};
const refusedOf = (result: ReturnType<typeof read>) => {
  if (!('refused' in result)) throw new Error(JSON.stringify(result));
  return result.refused;
};
const reasonOf = (result: ReturnType<typeof read>) => {
  if (!('report' in result)) throw new Error(JSON.stringify(result));
  return result.report.reason;
};

describe("the platform's own format", () => {
  const common = { playerId: '42', currency: 'USDT' };
  const money = { ...common, gameCode: 'g', roundId: 'r', transactionId: 't', amount: '10.00' };
  const all: Record<string, object> = {
    AUTHENTICATE: { ...common, sessionToken: 's' },
    BALANCE: common,
    BET: { ...money, sessionToken: 's' },
    WIN: money,
    BET_WIN: { ...money, sessionToken: 's', winAmount: '35' },
    ROLLBACK: { ...money, referenceTransactionId: 'b' },
    FREE_SPIN_WIN: money,
    JACKPOT: money,
  };

  test.each([
    ['AUTHENTICATE', []],
    ['BALANCE', []],
    ['BET', [{ type: 'BET', id: 't', amount: units('10') }]],
    ['WIN', [{ type: 'WIN', id: 't', amount: units('10') }]],
    [
      'BET_WIN',
      [
        { type: 'BET', id: 't', amount: units('10') },
        { type: 'WIN', id: 't:win', amount: units('35') },
      ],
    ],
    ['ROLLBACK', [{ type: 'ROLLBACK', id: 't', amount: units('10'), reference: 'b' }]],
    ['FREE_SPIN_WIN', [{ type: 'FREE_SPIN_WIN', id: 't', amount: units('10') }]],
    ['JACKPOT', [{ type: 'JACKPOT', id: 't', amount: units('10') }]],
  ])('%s', (action, actions) => {
    const call = callOf(json('generic', '', { ...all[action], action }));
    expect(call).toMatchObject({ playerId: '42', currencyId: 'USDT', actions, closes: false });
    expect(call.needsSession).toBe(action === 'AUTHENTICATE');
    expect(callOf(json('generic', '', { ...all[action], action, roundClosed: true })).closes).toBe(true);
  });

  test('rejects a request without a required field, and counts unknown fields', () => {
    for (const action of ['AUTHENTICATE', 'BALANCE', 'BET', 'BET_WIN']) {
      const body = all[action]!;
      for (const field of Object.keys(body))
        expect(
          () => json('generic', '', { ...body, action, [field]: undefined }),
          `${action} ${field}`,
        ).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
      const more = json('generic', '', { ...body, action, platform: 'mobile' });
      expect(callOf(more).playerId).toBe('42');
      expect(more.unknown).toEqual(['platform']);
    }
  });

  test('rejects a stake with an invalid amount or currency', () => {
    for (const change of [
      { amount: '-1' },
      { amount: '0.123456789' },
      { currency: 'XYZ' },
      { amount: '999999999999' },
    ])
      expect(refusedOf(json('generic', '', { ...all.BET, action: 'BET', ...change }))).toMatchObject({
        status: 200,
        body: { status: 'INVALID_REQUEST', balance: null },
      });
    for (const amount of ['1e2', '01', 'x', ''])
      expect(() => json('generic', '', { ...all.BET, action: 'BET', amount })).toThrow(AppError);
  });

  test('reads a report with unknown fields and without optional fields', () => {
    for (const action of ['WIN', 'ROLLBACK', 'FREE_SPIN_WIN', 'JACKPOT']) {
      const read = json('generic', '', {
        ...all[action],
        action,
        platform: 'mobile',
        timestamp: 'x',
        gameCode: undefined,
      });
      expect(callOf(read).actions, action).toMatchObject([{ type: action, id: 't' }]);
      expect(read.unknown).toEqual(['platform']);
    }
  });

  test('stores a report that cannot be read or booked instead of rejecting it', () => {
    const win = (change: object) => reasonOf(json('generic', '', { ...all.WIN, action: 'WIN', ...change }));
    expect(reasonOf(json('generic', '', { ...money, action: 'REFUND' }))).toBe('UNKNOWN_TYPE');
    expect(win({ currency: 'XYZ' })).toBe('UNBOOKABLE');
    expect(win({ roundId: undefined })).toBe('UNBOOKABLE');
    for (const change of [
      { amount: '-1' },
      { amount: 'x' },
      { amount: {} },
      { amount: '1e300' },
      { transactionId: undefined },
    ])
      expect(win(change), JSON.stringify(change)).toBe('UNREADABLE');
  });

  test.each([
    ['100', '100', undefined],
    ['1e2', '100', undefined],
    ['1E-3', '0.001', undefined],
    ['10.50', '10.5', undefined],
    ['"10"', '10', undefined],
    ['"1e2"', '100', undefined],
    ['0.1', '0.1', undefined],
    ['12345678901.12345678', '12345678901.12345678', undefined],
    ['0.020000000000000001', '0.02', '0.020000000000000001'],
    ['"0.020000000000000001"', '0.02', '0.020000000000000001'],
    ['0.999999999', '0.99999999', '0.999999999'],
    ['1e-400', '0', '1e-400'],
    ['0', '0', undefined],
  ])(
    "reads the win amount %s exactly and truncates it to the platform's smallest unit",
    (written, amount, said) => {
      const body = JSON.stringify({ ...all.WIN, action: 'WIN' }).replace('"10.00"', written);
      const [action] = callOf(read('generic', '', body)).actions;
      expect(action!.amount).toBe(units(amount));
      expect(action!.said).toBe(said);
    },
  );
});

describe('Hub88', () => {
  const user = { user: '42', request_uuid: 'q' };
  const bet = {
    ...user,
    token: 's',
    transaction_uuid: 't',
    game_code: 'g',
    round: 'r',
    amount: 1_000_000,
    currency: 'EUR',
    round_closed: false,
    supplier_user: 'x',
    reward_uuid: null,
  };
  const win = { ...bet, token: null, reference_transaction_uuid: 'b', round_closed: true };
  const statusOf = (body: unknown, action = 'transaction/bet') =>
    (refusedOf(json('hub88', action, body)).body as { status: string }).status;

  test('reads each kind of Hub88 call', () => {
    for (const action of ['user/info', 'user/balance'])
      expect(callOf(json('hub88', action, { ...user, token: 's' }))).toMatchObject({
        token: 's',
        actions: [],
      });
    expect(callOf(json('hub88', 'transaction/bet', bet))).toMatchObject({
      token: 's',
      currencyId: 'EUR',
      gameCode: 'g',
      round: 'r',
      closes: false,
      actions: [{ type: 'BET', id: 't', amount: units('10'), isFree: false }],
    });
    expect(
      callOf(json('hub88', 'transaction/win', { ...win, is_free: true, amount: 700_001 })),
    ).toMatchObject({
      closes: true,
      actions: [{ type: 'WIN', id: 't', amount: units('7.00001'), isFree: true, reference: 'b' }],
    });
    const { amount: _amount, currency: _currency, ...rollback } = win;
    expect(callOf(json('hub88', 'transaction/rollback', rollback))).toMatchObject({
      actions: [{ type: 'ROLLBACK', id: 't', reference: 'b' }],
    });
  });

  test('returns a specific error for missing, mistyped and wrong-currency fields', () => {
    for (const field of [
      'user',
      'token',
      'request_uuid',
      'transaction_uuid',
      'game_code',
      'round',
      'amount',
      'currency',
    ])
      expect(statusOf({ ...bet, [field]: undefined }), field).toBe('RS_ERROR_WRONG_SYNTAX');
    const unnamed = { ...win, reference_transaction_uuid: undefined };
    expect(reasonOf(json('hub88', 'transaction/win', unnamed))).toBe('UNREADABLE');
    expect(reasonOf(json('hub88', 'transaction/win', { ...win, currency: 'XYZ' }))).toBe('UNBOOKABLE');
    const odd = { ...win, amount: '1000000', round_closed: 'true', is_free: 'x', platform: 'x' };
    expect(callOf(json('hub88', 'transaction/win', odd))).toMatchObject({
      closes: true,
      actions: [{ amount: units('10') }],
    });
    for (const change of [
      { amount: '1' },
      { amount: null },
      { user: 42 },
      { round: {} },
      { is_free: 'true' },
      { round: 1.5 },
    ])
      expect(statusOf({ ...bet, ...change }), JSON.stringify(change)).toBe('RS_ERROR_WRONG_TYPES');
    for (const change of [{ amount: -1 }, { amount: 1.5 }, { amount: 1e300 }, { round: '' }])
      expect(statusOf({ ...bet, ...change }), JSON.stringify(change)).toBe('RS_ERROR_WRONG_SYNTAX');
    expect(statusOf({ ...bet, currency: 'XYZ' })).toBe('RS_ERROR_WRONG_CURRENCY');
    for (const body of ['', '{', '[]', '1', '{"user":"42","user":"43"}'])
      expect(refusedOf(read('hub88', 'transaction/bet', body)).body, body).toMatchObject({
        status: 'RS_ERROR_WRONG_SYNTAX',
      });
  });

  test('reads amounts exactly from their digits', () => {
    const written = (amount: string) =>
      read('hub88', 'transaction/bet', JSON.stringify(bet).replace('1000000', amount));
    for (const amount of ['1000000.0', '1e6'])
      expect(callOf(written(amount)).actions[0]!.amount, amount).toBe(units('10'));
    expect(refusedOf(written('1000000.00000000000000000001')).body).toMatchObject({
      status: 'RS_ERROR_WRONG_SYNTAX',
    });
    expect(callOf(written('9007199254740993')).actions[0]!.amount).toBe(9007199254740993n * 1000n);
  });

  test('returns the fields that a rejection must contain', () => {
    expect(refusedOf(json('hub88', 'transaction/bet', { ...user })).body).toMatchObject(user);
  });
});

describe('SOFTSWISS', () => {
  const play = { user_id: '42', currency: 'EUR', game: 'g', game_id: 'r', session_id: 's' };
  const bet = { action: 'bet', action_id: 'b', amount: 400 };

  test('reads bets and wins in order, and ignores a repeated id', () => {
    const actions = [bet, bet, { action: 'win', action_id: 'w', amount: 900, jackpot_win: 1 }];
    expect(callOf(json('softswiss', 'play', { ...play, actions, finished: true }))).toEqual({
      playerId: '42',
      currencyId: 'EUR',
      token: 's',
      gameCode: 'g',
      round: 'r',
      closes: true,
      actions: [
        { type: 'BET', id: 'b', amount: units('4') },
        { type: 'WIN', id: 'w', amount: units('9') },
      ],
    });
    const other = [bet, { ...bet, amount: 500 }];
    expect(refusedOf(json('softswiss', 'play', { ...play, actions: other }))).toMatchObject({
      status: 412,
      body: { code: 400 },
    });
  });

  test('reads a call without actions as a balance inquiry or as the end of a round', () => {
    for (const actions of [undefined, null, []])
      expect(callOf(json('softswiss', 'play', { ...play, actions }))).toMatchObject({
        actions: [],
        closes: false,
      });
    expect(callOf(json('softswiss', 'play', { ...play, finished: true })).closes).toBe(true);
    expect(callOf(json('softswiss', 'play', { user_id: '42', currency: 'EUR' })).round).toBeUndefined();
    expect(refusedOf(json('softswiss', 'play', { ...play, game_id: undefined, finished: true })).status).toBe(
      400,
    );
  });

  test('reads rollbacks and free spins', () => {
    const actions = [{ action: 'rollback', action_id: 'x', original_action_id: 'b' }];
    expect(callOf(json('softswiss', 'rollback', { ...play, actions })).actions).toEqual([
      { type: 'ROLLBACK', id: 'x', amount: 0n, reference: 'b' },
    ]);
    const issue = { user_id: '42', currency: 'EUR', issue_id: 'i', status: 'played', total_amount: 250 };
    expect(callOf(json('softswiss', 'freespins', issue))).toMatchObject({
      round: undefined,
      actions: [{ type: 'FREE_SPIN_WIN', id: 'i', amount: units('2.5') }],
    });
    for (const status of ['active', 'canceled'])
      expect(callOf(json('softswiss', 'freespins', { ...issue, status })).actions).toEqual([]);
  });

  test('rejects malformed requests', () => {
    for (const body of [
      { ...play, currency: 'XYZ' },
      { ...play, user_id: undefined },
      { ...play, actions: [{ ...bet, amount: -1 }] },
      { ...play, actions: [{ ...bet, amount: 1.5 }] },
      { ...play, actions: [{ ...bet, amount: '400' }] },
      { ...play, actions: [{ ...bet, action_id: undefined }] },
      { ...play, game: undefined, actions: [bet] },
      { ...play, actions: Array.from({ length: 51 }, (_, at) => ({ ...bet, action_id: `b${at}` })) },
    ])
      expect(refusedOf(json('softswiss', 'play', body)), JSON.stringify(body).slice(0, 200)).toMatchObject({
        status: 400,
        body: { code: 400 },
      });
  });

  test('stores wins, rollbacks and ends of free spins that cannot be booked', () => {
    const win = { action: 'win', action_id: 'w', amount: 900 };
    const reason = (actions: unknown, more = {}) =>
      reasonOf(json('softswiss', 'play', { ...play, actions, ...more }));
    expect(reason([{ ...win, action: 'promo_win' }])).toBe('UNKNOWN_TYPE');
    expect(reason([{ ...win, amount: 'x' }])).toBe('UNREADABLE');
    expect(reason([win], { currency: 'XYZ' })).toBe('UNBOOKABLE');
    expect(reasonOf(json('softswiss', 'rollback', { ...play, actions: [] }))).toBe('UNBOOKABLE');
    expect(
      callOf(json('softswiss', 'play', { ...play, actions: [{ ...win, amount: '9e2' }] })).actions,
    ).toMatchObject([{ type: 'WIN', amount: units('9') }]);
  });
});

describe('Pragmatic Play', () => {
  const common = { userId: '42', providerId: 'p', gameId: 'g', roundId: 'r', timestamp: '1' };
  const money = { ...common, reference: 't', amount: '2.50' };
  const one = (action: string, fields: Record<string, string>) => callOf(form(action, fields)).actions;

  test('reads each kind of Pragmatic Play call', () => {
    const amount = units('2.5');
    expect(callOf(form('authenticate', { token: 's', providerId: 'p' }))).toMatchObject({
      playerId: '',
      token: 's',
      needsSession: true,
    });
    expect(one('balance', { userId: '42', token: '' })).toEqual([]);
    expect(one('bet', money)).toMatchObject([{ type: 'BET', id: 't', amount, isFree: false }]);
    expect(one('bet', { ...money, bonusCode: 'f' })).toMatchObject([
      { isFree: true, payload: { bonusCode: 'f' } },
    ]);
    expect(one('result', money)).toMatchObject([{ type: 'WIN', id: 't', amount }]);
    expect(one('bonusWin', money)).toMatchObject([{ type: 'FREE_SPIN_WIN', amount }]);
    expect(one('jackpotWin', money)).toMatchObject([{ type: 'JACKPOT', amount }]);
    expect(one('promoWin', { ...money, campaignId: 'c' })).toMatchObject([
      { type: 'PROMO_WIN', amount, payload: { campaignId: 'c' } },
    ]);
    expect(one('adjustment', { ...money, amount: '-4.00' })).toMatchObject([
      { type: 'ADJUSTMENT', amount: -units('4') },
    ]);
    expect(one('refund', { userId: '42', reference: 't' })).toMatchObject([
      { type: 'ROLLBACK', id: 'refund:t', reference: 't' },
    ]);
    expect(callOf(form('endRound', common))).toMatchObject({ actions: [], closes: true, round: 'r' });
  });

  test('reads the promotional fields of a result', () => {
    const promo = { promoWinAmount: '1.00', promoWinReference: 'p1' };
    expect(one('result', { ...money, ...promo })).toMatchObject([
      { type: 'WIN', id: 't' },
      { type: 'PROMO_WIN', id: 'p1', amount: units('1') },
    ]);
    expect(one('result', { ...money, promoWinAmount: '0.00', promoWinReference: '' })).toHaveLength(1);
    for (const wrong of [{ promoWinAmount: '1.00' }, { ...promo, promoWinAmount: '-1' }])
      expect(reasonOf(form('result', { ...money, ...wrong }))).toBe('UNREADABLE');
  });

  test('ends the round with its first result when endRound is off', () => {
    const without = gameProviders({ change: { pragmatic: { endRound: false } } });
    expect(callOf(form('result', money)).closes).toBe(false);
    expect(callOf(form('result', money, without)).closes).toBe(true);
    expect(callOf(form('bet', money, without)).closes).toBe(false);
  });

  test('rejects malformed requests', () => {
    for (const change of [
      { amount: '-1' },
      { amount: '1.005' },
      { amount: '' },
      { amount: 'x' },
      { reference: '' },
      { roundId: '' },
    ])
      expect(refusedOf(form('bet', { ...money, ...change })).body, JSON.stringify(change)).toMatchObject({
        error: 7,
      });
    for (const more of ['&userId=43', '&x=1&x=2', '&y=%00'])
      expect(refusedOf(read('pragmatic', 'bet.html', pragmaticForm(money) + more)).body).toMatchObject({
        error: 7,
      });
  });
});

test('returns PROVIDER_NOT_FOUND for a path that does not exist in the dialect', () => {
  for (const [dialect, action] of [
    ['hub88', 'play'],
    ['softswiss', 'bet.html'],
    ['pragmatic', 'user/info'],
    ['hub88', 'constructor'],
  ] as const)
    expect(() => read(dialect, action, '{}')).toThrow(
      expect.objectContaining({ code: 'PROVIDER_NOT_FOUND' }),
    );
});

const PATHS: readonly (readonly [Dialect, string])[] = [
  ['generic', ''],
  ...(
    ['user/info', 'user/balance', 'transaction/bet', 'transaction/win', 'transaction/rollback'] as const
  ).map((action) => ['hub88', action] as const),
  ...(['play', 'rollback', 'freespins'] as const).map((action) => ['softswiss', action] as const),
  ...[
    'authenticate',
    'balance',
    'bet',
    'result',
    'bonusWin',
    'jackpotWin',
    'promoWin',
    'endRound',
    'refund',
    'adjustment',
  ].map((action) => ['pragmatic', `${action}.html`] as const),
];
const NAMES = [
  'user',
  'request_uuid',
  'token',
  'transaction_uuid',
  'game_code',
  'round',
  'amount',
  'currency',
  'is_free',
  'reference_transaction_uuid',
  'user_id',
  'game',
  'game_id',
  'finished',
  'actions',
  'issue_id',
  'status',
  'total_amount',
  'action',
  'playerId',
  'sessionToken',
  'roundId',
  'transactionId',
  'userId',
  'reference',
  'gameId',
  'hash',
  'promoWinAmount',
];

test('reads or rejects any input without an internal error', () => {
  const value = fc.oneof(
    fc.constantFrom(
      '42',
      'EUR',
      'USDT',
      'BET',
      'WIN',
      'played',
      '',
      '-1',
      '1.5',
      1,
      -1,
      1.5,
      1e300,
      true,
      null,
    ),
    fc.jsonValue({ maxDepth: 3 }),
    fc.array(
      fc.record(
        {
          action: fc.constantFrom('bet', 'win', 'rollback', 'x'),
          action_id: fc.constantFrom('a', 'b'),
          original_action_id: fc.constant('o'),
          amount: fc.jsonValue({ maxDepth: 0 }),
        },
        { requiredKeys: [] },
      ),
    ),
  );
  const fields = fc.dictionary(fc.constantFrom(...NAMES), value);
  const body = fc.oneof(
    fields.map((given) => JSON.stringify(given)),
    fields.map((given) => {
      const texts = Object.entries(given).map(([name, one]): [string, string] => [name, JSON.stringify(one)]);
      return new URLSearchParams(texts).toString();
    }),
    fc
      .dictionary(fc.constantFrom(...NAMES), fc.constantFrom('1', '-1', '2.50', '', 'x'))
      .map((given) => pragmaticForm(given)),
    fc.string({ unit: 'binary' }),
    fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('latin1')),
  );
  fc.assert(
    fc.property(fc.constantFrom(...PATHS), body, ([dialect, action], text) => {
      try {
        const result = read(dialect, action, text);
        if ('refused' in result) expect([200, 400, 412]).toContain(result.refused.status);
        else if ('call' in result) expect(typeof result.call.playerId).toBe('string');
        else expect(typeof result.report.type).toBe('string');
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
        expect((error as AppError).status).toBe(400);
        expect(dialect).toBe('generic');
      }
      expect(typeof providers.get(dialect).verify(Buffer.from(text), {})).toBe('boolean');
    }),
    { numRuns: 3000 },
  );
});

test('rejects a body of more than 64 KiB', () => {
  const long = 'x'.repeat(64 * 1024);
  expect(refusedOf(json('hub88', 'user/info', { user: '42', request_uuid: 'q', long })).status).toBe(200);
  expect(refusedOf(json('softswiss', 'play', { user_id: '42', currency: 'EUR', long })).status).toBe(400);
  expect(refusedOf(form('balance', { userId: '42', long })).body).toMatchObject({ error: 7 });
  expect(providers.get('pragmatic').verify(Buffer.from(pragmaticForm({ long })), {})).toBe(false);
});
