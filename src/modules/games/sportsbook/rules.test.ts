import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { noPlay, type Restrictions, recordUsage } from '../../compliance/gate/rules.ts';
import { closed, type Round, withStake } from '../provider-wallets/rules.ts';
import {
  keptOf,
  keyIdOf,
  meaningOf,
  remainingOf,
  signClaims,
  withoutBet,
  withoutSettlement,
  withSettlement,
} from './rules.ts';

const AT = new Date('2026-11-23T10:00:00Z');
const LATER = new Date('2026-11-23T11:00:00Z');
const VECTORS = new URL('../../../../test/kit/providers-vectors.json', import.meta.url);

test('87 tokens are signed to the letter, and keys named by their public part', () => {
  const { publicKey, privateKey, kid, vectors } = JSON.parse(readFileSync(VECTORS, 'utf8')).sportsbookToken;
  expect(keyIdOf(createPublicKey(publicKey).export({ type: 'spki', format: 'der' }))).toBe(kid);
  const key = createPrivateKey(privateKey);
  for (const { payload, token } of vectors) expect(signClaims(payload, { kid, key })).toBe(token);
});

test('what is left of limits is that of the tightest, and never less than nothing', () => {
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
])('%s for %s: %s', (type, reason, meaning) => expect(meaningOf(type, reason)).toBe(meaning));

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
  payload: keptOf(said),
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
  withSettlement(round, { id, units, isCancel, at });

test('the first settlement settles, each later one corrects: versions count up', () => {
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

test('81 a cancelled settlement opens the bet again, and the next one settles it anew', () => {
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

test('a settlement that is taken back leaves those before it, or an open bet', () => {
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
  // What the rest has not paid cannot be taken from it.
  expect(withoutSettlement(two, { id: 's1', units: 31n, at: LATER })).toBeUndefined();
});

test('78 a stake that is taken back leaves a void bet, or what a settlement has paid', () => {
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

test('a bet without money of its own has no row, whatever it settles for', () => {
  const free: Round = { ...EMPTY, stakes: 1 };
  expect(settle(free, 's0', 25n)).toMatchObject({ status: 'CLOSED', wins: 1, version: 1, bet: undefined });
  expect(withoutSettlement(settle(free, 's0', 25n)!, { id: 's0', units: 25n, at: AT })).toMatchObject({
    status: 'OPEN',
    wins: 0,
    bet: undefined,
  });
  // A round of before kept nothing.
  expect(settle({ ...closed(free, AT), payload: null }, 's0', 1n)!.payload).toEqual({
    marks: [{ id: 's0', isCancel: false }],
  });
});
