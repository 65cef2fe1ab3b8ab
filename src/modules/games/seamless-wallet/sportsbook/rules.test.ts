import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { noPlay, type Restrictions, recordUsage } from '../../../compliance/gate/rules.ts';
import { closed, type Round, withStake } from '../engine/rules.ts';
import {
  type Decides,
  decidesOf,
  keyIdOf,
  meaningOf,
  payloadOf,
  remainingOf,
  signClaims,
  withoutBet,
  withoutSettlement,
  withSettlement,
} from './rules.ts';

const AT = new Date('2026-11-23T10:00:00Z');
const LATER = new Date('2026-11-23T11:00:00Z');
const VECTORS = new URL('../../../../../test/kit/games/providers-vectors.json', import.meta.url);

test('matches the published signed tokens, and derives key ids from the public key', () => {
  const { publicKey, privateKey, kid, vectors } = JSON.parse(readFileSync(VECTORS, 'utf8')).sportsbookToken;
  expect(keyIdOf(createPublicKey(publicKey).export({ type: 'spki', format: 'der' }))).toBe(kid);
  const key = createPrivateKey(privateKey);
  for (const { payload, token } of vectors) expect(signClaims(payload, { kid, key })).toBe(token);
});

test('returns the lowest remaining limit, which is never below zero', () => {
  const ONE = 100_000_000n;
  const of = (limits: Restrictions['limits'], play: Restrictions['play'] = noPlay(AT)): Restrictions => ({
    userId: 1,
    excludedUntil: null,
    playFrom: null,
    limits,
    play,
  });
  expect(remainingOf(undefined, AT)).toEqual({ wagerRemaining: null, lossRemaining: null });
  expect(remainingOf(of({}, null), AT)).toEqual({ wagerRemaining: null, lossRemaining: null });
  const limits = { WAGER: { DAY: 30n * ONE, WEEK: 20n * ONE }, LOSS: { MONTH: 5n * ONE } };
  expect(remainingOf(of(limits), AT)).toEqual({ wagerRemaining: '20', lossRemaining: '5' });
  const played = recordUsage(noPlay(AT), { at: AT, staked: 12n * ONE, paid: 10n * ONE });
  expect(remainingOf(of(limits, played), AT)).toEqual({ wagerRemaining: '8', lossRemaining: '3' });
  const over = recordUsage(noPlay(AT), { at: AT, staked: 50n * ONE, paid: 0n });
  expect(remainingOf(of(limits, over), AT)).toEqual({ wagerRemaining: '0', lossRemaining: '0' });
  expect(remainingOf(of({ WAGER: { DAY: 20n * ONE, WEEK: 30n * ONE } }), AT).wagerRemaining).toBe('20');
});

test.each([
  ['withdrawal', 'bet', 'bet'],
  ['withdrawal', 'BET', 'bet'],
  ['withdrawal', 'betting', undefined],
  ['withdrawal', 'freebet', 'freebet'],
  ['withdrawal', 'freebet-bet', 'freebet'],
  ['withdrawal', 'resettle', 'resettle'],
  ['withdrawal', 're-settle', 'resettle'],
  ['withdrawal', 'cancelsettle', 'cancel'],
  ['withdrawal', 'cancel_settle', 'cancel'],
  ['withdrawal', 'settle', undefined],
  ['withdrawal', 'a bet', undefined],
  ['deposit', 'settle', 'settle'],
  ['deposit', 'settlement', 'settle'],
  ['deposit', 'resettle', 'settle'],
  ['deposit', 'cash-out', 'settle'],
  ['deposit', 'void', 'settle'],
  ['deposit', 'partial', 'settle'],
  ['deposit', 'half-won', 'settle'],
  ['deposit', 'freebet', 'free-win'],
  ['deposit', 'freebet-settle', 'free-win'],
  ['deposit', 'unsettled', undefined],
  ['deposit', 'bet', undefined],
  ['rollback', 'anything', 'rollback'],
  ['award', '', 'grant'],
  ['release', '', 'grant'],
  ['retract', '', 'retract'],
])('maps a %s with the reason %s to %s', (type, reason, meaning) =>
  expect(meaningOf(type, reason)).toBe(meaning),
);

const said = { legs: [1, 2] };
const EMPTY: Round = {
  id: 1n,
  providerId: 1,
  userId: 7,
  ref: 'bet',
  gameId: 5,
  currencyId: 'USDT',
  status: 'OPEN',
  stakes: 0,
  wins: 0,
  version: 0,
  payload: payloadOf(said),
  hasBonus: false,
  bet: undefined,
};
const staked = withStake(EMPTY, {
  betId: 11n,
  units: 10n,
  rate: 1_000_000_000_000n,
  edgePpm: 30_000,
  at: AT,
});
const settle = (round: Round, id: string, units: bigint, isCancel = false, at = AT) =>
  withSettlement(round, { id, units, isCancel, decides: 'WHOLE', at });

test('settles the bet with the first settlement, corrects it with later ones, and increases its version each time', () => {
  expect(EMPTY.payload).toEqual({ said, marks: [] });
  const first = settle(staked, 's0', 25n)!;
  expect(first).toMatchObject({
    status: 'CLOSED',
    version: 1,
    wins: 1,
    payload: { said, marks: [{ id: 's0', isCancel: false }] },
    bet: { status: 'SETTLED', amount: 10n, payout: 25n, countsAt: AT },
  });
  const second = settle(first, 's1', -5n, false, LATER)!;
  expect(second).toMatchObject({ status: 'CLOSED', version: 2, bet: { payout: 20n, countsAt: AT } });
  expect(settle(first, 's2', -26n)).toBeUndefined();
  expect(settle(staked, 's0', 0n)).toMatchObject({
    status: 'CLOSED',
    bet: { status: 'SETTLED', payout: 0n },
  });
});

test('reopens the bet when its settlement is cancelled, and settles it again', () => {
  const settled = settle(settle(staked, 's0', 25n)!, 's1', 5n)!;
  expect(settle(settled, 'c', -29n, true)).toBeUndefined();
  const open = settle(settled, 'c', -30n, true)!;
  expect(open).toMatchObject({
    status: 'OPEN',
    version: 2,
    bet: { status: 'CREATED', payout: 0n, countsAt: null },
  });
  const anew = settle(open, 's2', 7n, false, LATER)!;
  expect(anew).toMatchObject({
    status: 'CLOSED',
    version: 3,
    bet: { status: 'SETTLED', payout: 7n, countsAt: LATER },
  });
});

test('restores the previous settlement when a settlement is rolled back, or reopens the bet if there was none', () => {
  const two = settle(settle(staked, 's0', 25n)!, 's1', 5n)!;
  const one = withoutSettlement(two, { id: 's1', units: 5n, at: LATER })!;
  expect(one).toMatchObject({
    status: 'CLOSED',
    version: 2,
    wins: 1 + 0,
    bet: { payout: 25n, countsAt: AT },
  });
  const none = withoutSettlement(one, { id: 's0', units: 25n, at: LATER })!;
  expect(none).toMatchObject({
    status: 'OPEN',
    wins: 0,
    bet: { status: 'CREATED', payout: 0n, countsAt: null },
  });
  expect(none.payload).toEqual({ said, marks: [] });
  // The amount cannot be reversed if it was not paid by the remaining settlements.
  expect(withoutSettlement(two, { id: 's1', units: 31n, at: LATER })).toBeUndefined();
});

test('voids the bet when its stake is rolled back, or keeps the amount that was paid', () => {
  expect(withoutBet(staked, 10n, LATER)).toMatchObject({
    status: 'CLOSED',
    stakes: 0,
    version: 1,
    bet: { status: 'ROLLBACK', amount: 0n, countsAt: null },
  });
  const paid = withoutBet(settle(staked, 's0', 4n)!, 10n, LATER)!;
  expect(paid).toMatchObject({
    status: 'CLOSED',
    version: 1,
    bet: { status: 'SETTLED', amount: 0n, payout: 4n },
  });
});

test('stores no bet without a stake, regardless of its payout', () => {
  const free: Round = { ...EMPTY, stakes: 1 };
  expect(settle(free, 's0', 25n)).toMatchObject({ status: 'CLOSED', wins: 1, version: 1, bet: undefined });
  expect(withoutSettlement(settle(free, 's0', 25n)!, { id: 's0', units: 25n, at: AT })).toMatchObject({
    status: 'OPEN',
    wins: 0,
    bet: undefined,
  });
  // A round stored by an earlier version has no details.
  expect(settle({ ...closed(free, AT), payload: null }, 's0', 1n)!.payload).toEqual({
    marks: [{ id: 's0', isCancel: false, decides: 'WHOLE' }],
  });
});

test.each([
  ['settle', 'WHOLE'],
  ['resettle', 'WHOLE'],
  ['Half-Won', 'HALF'],
  ['half lost', 'HALF'],
  ['half_void', 'HALF'],
  ['cash-out', 'NONE'],
  ['void', 'NONE'],
  ['cancelled', 'NONE'],
  ['refund', 'NONE'],
  ['push', 'NONE'],
  ['stake_returned', 'NONE'],
  ['partial-cashout', 'PART'],
] as const)('derives the settled part of a bet from the reason %s', (reason, decides) => {
  expect(decidesOf(reason)).toBe(decides);
});

const hundred = withStake(EMPTY, {
  betId: 11n,
  units: 100n,
  rate: 1_000_000_000_000n,
  edgePpm: 30_000,
  at: AT,
});
type Step = readonly [decides: Decides | 'CANCEL', units: bigint];

test.each<readonly [string, readonly Step[], bigint]>([
  ['a loss', [['WHOLE', 0n]], 0n],
  ['a win', [['WHOLE', 250n]], 0n],
  ['a void bet', [['NONE', 100n]], 100n],
  ['a cash-out below the stake', [['NONE', 60n]], 100n],
  ['a cash-out above the stake', [['NONE', 160n]], 100n],
  ['a settlement at the stake', [['WHOLE', 100n]], 100n],
  ['a half win', [['HALF', 140n]], 50n],
  ['a half loss', [['HALF', 50n]], 50n],
  ['a half loss reported with another reason', [['WHOLE', 50n]], 50n],
  ['a partial cash-out before the rest is settled', [['PART', 30n]], 100n],
  [
    'a partial cash-out whose rest is lost',
    [
      ['PART', 30n],
      ['WHOLE', 0n],
    ],
    30n,
  ],
  [
    'a partial cash-out whose rest is void',
    [
      ['PART', 30n],
      ['WHOLE', 70n],
    ],
    100n,
  ],
  [
    'a partial cash-out whose rest is half lost',
    [
      ['PART', 30n],
      ['WHOLE', 35n],
    ],
    65n,
  ],
  [
    'a partial cash-out above the stake',
    [
      ['PART', 130n],
      ['WHOLE', 5n],
    ],
    100n,
  ],
  [
    'a void bet that is settled as lost after all',
    [
      ['NONE', 100n],
      ['WHOLE', -100n],
    ],
    0n,
  ],
  [
    'a win that is voided later',
    [
      ['WHOLE', 250n],
      ['WHOLE', -150n],
    ],
    100n,
  ],
  [
    'a void bet that is then cancelled and lost',
    [
      ['NONE', 100n],
      ['CANCEL', -100n],
      ['WHOLE', 0n],
    ],
    0n,
  ],
])('counts the settled part of %s', (_name, steps, undecided) => {
  const settled = steps.reduce<Round>((round, [decides, units], i) => {
    const isCancel = decides === 'CANCEL';
    const step = { id: `s${i}`, units, isCancel, decides: isCancel ? 'WHOLE' : decides, at: AT } as const;
    return withSettlement(round, step)!;
  }, hundred);
  expect(settled.bet).toMatchObject({ status: 'SETTLED', undecided });
});

test('computes the settled part again when one of its settlements is cancelled', () => {
  const lost = settle(hundred, 's0', 0n)!;
  const isVoid = withSettlement(lost, { id: 's1', units: 100n, isCancel: false, decides: 'NONE', at: AT })!;
  expect(isVoid.bet!.undecided).toBe(100n);
  expect(withoutSettlement(isVoid, { id: 's1', units: 100n, at: AT })!.bet!.undecided).toBe(0n);
});

test('counts the whole bet when its settlement was stored without a reason', () => {
  const old: Round = { ...hundred, payload: { said, marks: [{ id: 's0', isCancel: false }] } };
  expect(withoutBet(old, 40n, AT)!.bet).toMatchObject({ amount: 60n, undecided: 0n });
});
