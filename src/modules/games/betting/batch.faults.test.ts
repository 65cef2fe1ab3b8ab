import { describe, expect, test } from 'vitest';
import { noncesOf } from '../../../../test/kit/games/bets.ts';
import { player, readings as readingsOf, wallet } from '../../../../test/kit/money/batch.ts';
import { MAX_UNITS, ONE } from '../../../platform/money.ts';
import { type Outcome, planBatch } from './batch.ts';
import type { Readings } from './books.ts';
import { playRequest } from './place.ts';
import type { FreshBet, SingleStep } from './request.ts';

const at = { base: 1024n, at: new Date(0) };

const readings = (cash = 10n * ONE): Readings => {
  const users = [11, 12];
  return readingsOf({
    players: new Map(users.map((userId) => [userId, player({ userId })])),
    wallets: new Map(users.map((userId) => [`${userId}:USDT`, { ...wallet(cash), userId }])),
    pairs: () => ({ serverSeed: 's', clientSeed: 'c' }),
  });
};

type Bet = FreshBet & SingleStep<object, { nonce?: number }>;
/** Builds a losing bet of one dollar. */
const betOf = (changes: Partial<Bet> = {}): Bet => ({
  userId: 11,
  country: null,
  game: { id: 1, slug: 'test' },
  currencyId: 'USDT',
  decimals: 8,
  betUsd: ONE,
  stake: ONE,
  minStake: 0n,
  rate: 10n ** 12n,
  rtpBp: 9900,
  maxProfitUsd: MAX_UNITS,
  windowId: null,
  inputs: {},
  refusal: undefined,
  repeat: undefined,
  play: (_, nonce) => ({ outcome: { nonce }, multiplier: 0n, scale: 1n }),
  answer: ({ betId, outcome }) => ({ betId, nonce: outcome.nonce }),
  ...changes,
});
const request = (changes?: Partial<Bet>) => playRequest(betOf(changes), betOf(changes));
const withKey = (key: string, hash = 0) => request({ repeat: { key, inputHash: Buffer.from([hash]) } });
const shown = (outcome: Outcome) =>
  'answer' in outcome ? outcome.answer : (outcome.refusal.code ?? outcome.refusal.constructor.name);

describe('one failing bet in a batch', () => {
  const paying = (multiplier: bigint) => ({ play: () => ({ outcome: {}, multiplier, scale: 1n }) });
  const throwing = () => {
    throw new Error('a bug of the game');
  };
  test.each<[string, Partial<Bet>, string]>([
    ['in its game', { play: throwing }, 'Error'],
    ['in inputs that cannot be stored', { inputs: { huge: 1n } }, 'TypeError'],
    [
      'in an outcome that cannot be stored',
      { play: () => ({ outcome: { huge: 1n }, multiplier: 0n, scale: 1n }) },
      'TypeError',
    ],
    ['with a payout below zero', paying(-1n), 'RangeError'],
    ['with a payout above every column', paying(MAX_UNITS), 'RangeError'],
    ['out of range', { refusal: Object.assign(new RangeError(), { code: 'REFUSED' }) as never }, 'REFUSED'],
    ['with too little money', { stake: 10n * ONE }, 'INSUFFICIENT_BALANCE'],
  ])(
    'does not affect other bets when a bet fails %s, uses no stake, nonce or ids, and releases its key unless it was rejected',
    (_, change, failure) => {
      const read = readings();
      const bad = { ...request(change), repeat: { key: 'k', inputHash: Buffer.from([0]) } };
      const plan = planBatch([request(), bad, request(), bad, request({ userId: 12 })], read, at);
      expect(plan.outcomes(at).map(shown)).toEqual([
        { betId: '1024', nonce: 4 },
        failure,
        { betId: '1027', nonce: 5 },
        failure,
        { betId: '1030', nonce: 4 },
      ]);
      expect(noncesOf(plan)).toBe(3);
      expect(read.wallets.get('11:USDT')!.cash).toBe(8n * ONE);
      expect(plan.statements.map((s) => s.name).slice(0, 4)).toEqual([
        'players.advance',
        'ledger.write-wallets',
        'ledger.write-lines',
        'bets.insert-settled',
      ]);
      expect(plan.statements).toHaveLength(failure === 'INSUFFICIENT_BALANCE' ? 5 : 4);
    },
  );

  test('moves a payout to suspense if it would exceed the largest balance, and settles the other bets', () => {
    const read = readings();
    const plan = planBatch([request(), request(paying(MAX_UNITS / ONE)), request()], read, at);
    expect(plan.outcomes(at).map(shown)).toMatchObject([
      { betId: '1024' },
      { betId: '1027' },
      { betId: '1030' },
    ]);
    expect(noncesOf(plan)).toBe(3);
    expect(read.wallets.get('11:USDT')!.cash).toBe(7n * ONE);
    expect(plan.statements.map((s) => s.name)).toContain('ledger.hold');
  });

  test('accepts a payout of exactly the largest amount that the wallet can store', () => {
    const exact = request({ play: () => ({ outcome: {}, multiplier: MAX_UNITS - 9n * ONE, scale: ONE }) });
    const read = readings();
    expect(noncesOf(planBatch([exact], read, at))).toBe(1);
    expect(read.wallets.get('11:USDT')!.cash).toBe(MAX_UNITS);
  });
});

test('places one bet for duplicate requests in a batch, and rejects the key with another body', () => {
  const read = readings();
  const batch = [withKey('k'), withKey('k'), withKey('k', 1), withKey('other'), withKey('k')];
  const plan = planBatch(batch, read, at);
  const first = { betId: '1024', nonce: 4 };
  expect(plan.outcomes(at).map(shown)).toEqual([
    first,
    first,
    'IDEMPOTENCY_KEY_REUSED',
    { betId: '1027', nonce: 5 },
    first,
  ]);
  expect(noncesOf(plan)).toBe(2);
  expect(read.wallets.get('11:USDT')!.cash).toBe(8n * ONE);
});
