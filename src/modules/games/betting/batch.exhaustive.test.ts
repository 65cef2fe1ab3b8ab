/** Compares random batches of the settlement core with a model that processes one bet after another. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noncesOf } from '../../../../test/kit/games/bets.ts';
import { player, readings } from '../../../../test/kit/money/batch.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { ONE } from '../../../platform/money.ts';
import type { StoredAnswer } from '../../base/idempotency/service.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import type { Wallet } from '../../money/ledger/rules.ts';
import { type Outcome, planBatch } from './batch.ts';
import type { Readings } from './books.ts';
import { playRequest } from './place.ts';
import type { FreshBet, GameRequest, SingleStep } from './request.ts';

const USERS = [11, 12, 13];
const SCALE = 10_000n;

type Bet = {
  userId: number;
  currencyId: 'USDT' | 'BTC';
  /** The stake in whole units. Each user starts with ten. */
  stake: bigint;
  multiplier: bigint;
  key: number | undefined;
  /** Requests with the same key and different bodies. */
  body: number;
  isOutOfRange: boolean;
};
const bet: fc.Arbitrary<Bet> = fc.record({
  userId: fc.constantFrom(...USERS),
  currencyId: fc.constantFrom('USDT', 'USDT', 'BTC'),
  stake: fc.bigInt(1n, 6n),
  multiplier: fc.constantFrom(0n, 0n, 0n, 10_101n, 19_800n, 33_333n),
  key: fc.option(fc.nat(6), { nil: undefined, freq: 2 }),
  body: fc.constantFrom(0, 0, 0, 1),
  isOutOfRange: fc.constantFrom(false, false, false, false, false, true),
});

/** A player in the model. */
type Person = {
  nonce: number;
  isBanned: boolean;
  cash: Record<string, bigint>;
  answers: Map<number, { body: number; result: string }>;
};

const REFUSED = commonErrors.AMOUNT_OUT_OF_RANGE();
const codeOf = (outcome: Outcome) =>
  'refusal' in outcome ? outcome.refusal.code : JSON.stringify(outcome.answer);

/** Returns the result of a bet if it is processed next. */
function settle(person: Person, b: Bet): string {
  const known = b.key === undefined ? undefined : person.answers.get(b.key);
  if (known) return known.body === b.body ? known.result : commonErrors.IDEMPOTENCY_KEY_REUSED.code;
  const result = settleFresh(person, b);
  if (b.key !== undefined) person.answers.set(b.key, { body: b.body, result });
  return result;
}

function settleFresh(person: Person, b: Bet): string {
  if (person.isBanned) return gateErrors.USER_BANNED.code;
  if (b.isOutOfRange) return REFUSED.code;
  const stake = b.stake * ONE;
  if (person.cash[b.currencyId]! < stake) return commonErrors.INSUFFICIENT_BALANCE.code;
  const payout = (stake * b.multiplier) / SCALE;
  person.cash[b.currencyId]! += payout - stake;
  return JSON.stringify({ user: b.userId, nonce: person.nonce++, payout: String(payout), body: b.body });
}

function requestOf(b: Bet): GameRequest {
  const repeat = b.key === undefined ? undefined : { key: `key-${b.key}`, inputHash: Buffer.from([b.body]) };
  const bet: FreshBet & SingleStep<object, { seeds: string; nonce: number }> = {
    userId: b.userId,
    country: null,
    game: { id: 1, slug: 'test' },
    currencyId: b.currencyId,
    decimals: 8,
    betUsd: b.stake * ONE,
    stake: b.stake * ONE,
    minStake: 0n,
    rate: 10n ** 12n,
    rtpBp: 9900,
    maxProfitUsd: 10n ** 6n * ONE,
    windowId: null,
    inputs: {},
    refusal: b.isOutOfRange ? REFUSED : undefined,
    repeat,
    play: ({ clientSeed }, nonce) => ({
      outcome: { seeds: clientSeed, nonce },
      multiplier: b.multiplier,
      scale: SCALE,
    }),
    answer: ({ payoutUsd, outcome }) => {
      expect(outcome.seeds).toBe(`seeds of ${b.userId}`);
      return { user: b.userId, nonce: outcome.nonce, payout: String(payoutUsd), body: b.body };
    },
  };
  return playRequest(bet, bet);
}

/** Returns the rows that the database would return for the model's state. */
function readingsOf(people: Map<number, Person>, stored: Map<string, StoredAnswer>): Readings {
  const wallets = [...people].flatMap(([userId, { cash }]) =>
    Object.entries(cash).map(([currencyId, amount]): [string, Wallet] => [
      `${userId}:${currencyId}`,
      { userId, currencyId, version: 1n, cash: amount, vault: 5n, bonus: 6n, hold: 7n },
    ]),
  );
  return readings({
    players: new Map(
      [...people].map(([userId, { nonce, isBanned }]) => [
        userId,
        player({ userId, seedPairId: BigInt(userId), nonce, isBanned }),
      ]),
    ),
    wallets: new Map(wallets),
    stored,
    pairs: (id) => ({ serverSeed: 's', clientSeed: `seeds of ${id}` }),
  });
}

const newPeople = () =>
  new Map<number, Person>(
    USERS.map((id) => [
      id,
      { nonce: id, isBanned: id === USERS[2], cash: { USDT: 10n * ONE, BTC: 3n * ONE }, answers: new Map() },
    ]),
  );

function storeAnswers(
  stored: Map<string, StoredAnswer>,
  bets: readonly Bet[],
  outcomes: readonly Outcome[],
): void {
  for (const [i, { userId, key, body }] of bets.entries()) {
    const outcome = outcomes[i]!;
    const name = `${userId}:key-${key}`;
    if (key === undefined || stored.has(name)) continue;
    const [status, content] =
      'answer' in outcome ? [200, outcome.answer] : [outcome.refusal.status, outcome.refusal];
    stored.set(name, {
      userId,
      key: `key-${key}`,
      inputHash: Buffer.from([body]),
      status,
      body: JSON.stringify('code' in content ? { code: content.code, message: 'm' } : content),
    });
  }
}

test('settles 500 random sequences of 15 batches with the same results as single bets in the same order', () => {
  const batch = fc.array(bet, { minLength: 1, maxLength: 14 });
  fc.assert(
    fc.property(fc.array(batch, { minLength: 15, maxLength: 15 }), (batches) => {
      const people = newPeople();
      const stored = new Map<string, StoredAnswer>();
      for (const [round, bets] of batches.entries()) {
        const readings = readingsOf(people, stored);
        const block = { base: BigInt(round + 1) * 1024n, at: new Date(0) };
        const plan = planBatch(bets.map(requestOf), readings, block);
        const nonces = [...people.values()].reduce((sum, p) => sum + p.nonce, 0);
        const expected = bets.map((b) => settle(people.get(b.userId)!, b));
        const outcomes = plan.outcomes(block);
        expect(outcomes.map(codeOf)).toEqual(expected);
        // Each bet uses one nonce and each nonce belongs to one bet. Rejected and repeated requests use none.
        expect(noncesOf(plan)).toBe([...people.values()].reduce((sum, p) => sum + p.nonce, 0) - nonces);
        for (const { userId, currencyId, ...balances } of readings.wallets.values()) {
          const cash = people.get(userId)!.cash[currencyId]!;
          expect(balances).toEqual({ version: 1n, cash, vault: 5n, bonus: 6n, hold: 7n });
          expect(cash).toBeGreaterThanOrEqual(0n);
        }
        storeAnswers(stored, bets, outcomes);
      }
    }),
    { seed: 33, numRuns: 500 },
  );
});
