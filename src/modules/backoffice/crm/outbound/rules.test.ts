import { describe, expect, test } from 'vitest';
import { DECLARATIONS } from '../../../../app/areas.ts';
import {
  contentsOf,
  isAlwaysSent,
  type Lookups,
  MAX_ATTEMPTS,
  NAMES,
  pauseAfter,
  verdictOf,
} from './rules.ts';

const TRIGGER = { activity_id: '1', trigger_hash: 'x' };
const lookups: Lookups = {
  rateOf: (currencyId) => (currencyId === 'BTC' ? '65000' : null),
  triggerOf: (grantId) => (grantId === '9' ? TRIGGER : null),
};

const GRANT = {
  grantId: '9',
  promoId: '1000',
  name: 'Ten',
  type: 'MANUAL',
  currencyId: 'BTC',
  amount: '10',
  bonusBalance: '4',
  wagerRequired: '100',
  wagerDone: '7',
} as const;
const BONUS = {
  type: 'bonus',
  user_bonus_id: '9',
  bonus_code: '1000',
  name: 'Ten',
  bonus_type: 'MANUAL',
  amount: '10',
  balance: '4',
  required_wagering_amount: '100',
  wagered_amount: '7',
  currency: 'BTC',
  exchange_rate: '65000',
  fasttrack_references: TRIGGER,
};
const USE = {
  sessionId: 's',
  by: 'SIGN_IN',
  signedInAt: '2026-01-05T10:00:00.000Z',
  usedAt: '2026-01-05T10:00:01.000Z',
  provider: 'password',
  country: 'DE',
  device: 'Apple iPhone',
  deviceType: 'mobile',
  browser: 'Safari 18',
  os: null,
} as const;

const CASES: [name: (typeof NAMES)[number], data: object, said: object[]][] = [
  [
    'user.registered',
    { by: 'EMAIL', country: 'DE' },
    [{ type: 'registration', method: 'EMAIL', country: 'DE' }],
  ],
  [
    'session.used',
    USE,
    [
      {
        type: 'login',
        by: 'SIGN_IN',
        at: '2026-01-05T10:00:01.000Z',
        method: 'password',
        country: 'DE',
        device: 'Apple iPhone',
        device_type: 'mobile',
        browser: 'Safari 18',
        os: null,
      },
    ],
  ],
  ['user.updated', {}, [{ type: 'user_update' }]],
  ['vip.level', { level: 2, previousLevel: 1 }, [{ type: 'user_update' }]],
  ['kyc.status', { tier: 'IDENTITY', status: 'APPROVED', level: 2 }, [{ type: 'user_update' }]],
  ['user.consents', {}, [{ type: 'consent' }]],
  ['user.blocks', { block: 'BANNED', isActive: true }, [{ type: 'block', block: 'Blocked', active: true }]],
  ['user.blocks', { block: 'BANNED', isActive: false }, [{ type: 'block', block: 'Blocked', active: false }]],
  [
    'user.blocks',
    { block: 'EXCLUDED', isActive: true },
    [{ type: 'block', block: 'Excluded', active: true }, { type: 'consent' }],
  ],
  [
    'deposit.status',
    { depositId: 'd', status: 'COMPLETED', currencyId: 'BTC', amount: '0.5' },
    [
      {
        type: 'deposit',
        payment_id: 'd',
        status: 'COMPLETED',
        amount: '0.5',
        currency: 'BTC',
        exchange_rate: '65000',
      },
    ],
  ],
  [
    'withdraw.status',
    { withdrawalId: 'w', status: 'SENT', currencyId: 'XXX', amount: '2' },
    [
      {
        type: 'withdrawal',
        payment_id: 'w',
        status: 'SENT',
        amount: '2',
        currency: 'XXX',
        exchange_rate: null,
      },
    ],
  ],
  ['promo.state', { ...GRANT, state: 'PENDING' }, [{ ...BONUS, status: 'Pending' }]],
  ['promo.state', { ...GRANT, state: 'CREATED' }, [{ ...BONUS, status: 'Created' }]],
  ['promo.state', { ...GRANT, state: 'ONGOING' }, [{ ...BONUS, status: 'Ongoing' }]],
  ['promo.state', { ...GRANT, state: 'COMPLETED' }, [{ ...BONUS, status: 'Completed' }]],
  ['promo.state', { ...GRANT, state: 'FORFEITED' }, [{ ...BONUS, status: 'Forfeited' }]],
  ['promo.state', { ...GRANT, state: 'EXPIRED' }, [{ ...BONUS, status: 'Expired' }]],
  [
    'promo.state',
    { ...GRANT, grantId: '8', state: 'LOST' },
    [{ ...BONUS, user_bonus_id: '8', status: 'Lost', fasttrack_references: null }],
  ],
];

test.each(CASES)('converts a %s event', (name, data, said) => {
  expect(DECLARATIONS.events[name]!.data.parse(data)).toEqual(data);
  expect(contentsOf(name, data, lookups)).toEqual(said);
});

test('covers every subscribed event, each of which concerns one player', () => {
  expect(new Set(CASES.map(([name]) => name))).toEqual(new Set(NAMES));
  for (const name of NAMES) expect(['user', 'internal']).toContain(DECLARATIONS.events[name]!.room);
});

test('sends only block and consent messages about excluded players', () => {
  const types = CASES.flatMap(([, , said]) => said.map((one) => (one as { type: string }).type));
  const sent = [...new Set([...types, 'game_round', 'balance'])].filter(isAlwaysSent);
  expect(sent).toEqual(['consent', 'block']);
});

describe('a delivery attempt', () => {
  test.each([
    [200, 'DONE'],
    [201, 'DONE'],
    [299, 'DONE'],
    [199, 'AGAIN'],
    [300, 'AGAIN'],
    [399, 'AGAIN'],
    [400, 'HOPELESS'],
    [401, 'HOPELESS'],
    [404, 'HOPELESS'],
    [407, 'HOPELESS'],
    [408, 'AGAIN'],
    [409, 'HOPELESS'],
    [422, 'HOPELESS'],
    [428, 'HOPELESS'],
    [429, 'AGAIN'],
    [430, 'HOPELESS'],
    [499, 'HOPELESS'],
    [500, 'AGAIN'],
    [503, 'AGAIN'],
  ])('treats a delivery attempt with status %i as %s', (status, is) => {
    const reason = is === 'DONE' ? {} : { reason: `the CRM returned ${status}` };
    expect(verdictOf(status)).toEqual({ is, ...reason });
  });
});

test('allows ten delivery attempts, with delays that increase to hours', () => {
  expect(MAX_ATTEMPTS).toBe(10);
  expect([1, 2, 5, 9].map((attempts) => Math.round(pauseAfter(attempts)))).toEqual([3, 7, 148, 8103]);
});
