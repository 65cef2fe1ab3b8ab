import { playRequest } from '../../../src/modules/games/betting/place.ts';
import type { FreshBet, GameRequest, SingleStep } from '../../../src/modules/games/betting/request.ts';
import {
  createSettlement,
  type Settlement,
  type SettlementOptions,
} from '../../../src/modules/games/betting/settlement.ts';
import { firstNumber } from '../../../src/modules/games/fairness/hash.ts';
import { diceOdds, playDice } from '../../../src/modules/games/house-games/dice/rules.ts';
import { ONE } from '../../../src/platform/money.ts';
import { createMetrics } from '../../../src/platform/observability/metrics.ts';
import type { TestApp } from '../app.ts';

/** Even odds, minus the house edge. */
export const EVENS = { threshold: 50, above: true };
export const EVENS_ODDS = diceOdds(EVENS, { rtpBp: 9900, maxMultiplier: 9900 })!;

/** Creates a separate settlement on an app's database, with one lane and a timeout of 2.5 seconds. */
export const startSettlement = (
  app: TestApp,
  name: string,
  more: Partial<SettlementOptions> = {},
): Settlement =>
  createSettlement({
    database: {
      connectionString: app.database.url,
      poolSize: 1,
      connectTimeoutMs: 2000,
      statementTimeoutMs: 2500,
      name,
    },
    lanes: 1,
    batch: 256,
    queue: 4096,
    queuePerPlayer: 512,
    deadlineMs: 2500,
    outlook: app.services.gate.outlook,
    grants: app.services.betGrants,
    fairness: app.services.fairness,
    log: app.services.log,
    metrics: createMetrics(name),
    ...more,
  });

export const diceIdOf = async ({ db }: TestApp): Promise<number> =>
  (await db.selectFrom('games').select('id').where('slug', '=', 'dice').executeTakeFirstOrThrow()).id;

export type DiceBet = FreshBet & SingleStep;

/** A valid bet of one USDT at even odds, which passes reconciliation like any other. */
export const diceBet = (userId: number, diceId: number): DiceBet => ({
  userId,
  country: null,
  game: { id: diceId, slug: 'dice' },
  currencyId: 'USDT',
  decimals: 6,
  betUsd: ONE,
  stake: ONE,
  minStake: 0n,
  rate: 10n ** 12n,
  rtpBp: 9900,
  maxProfitUsd: 1000n * ONE,
  windowId: null,
  inputs: EVENS,
  refusal: undefined,
  repeat: undefined,
  play: ({ serverSeed, clientSeed }, nonce) =>
    playDice(EVENS, EVENS_ODDS, firstNumber(serverSeed, clientSeed, nonce)),
  answer: ({ betId, payoutUsd }) => ({ betId, payoutUsd }),
});

export function diceRequest(userId: number, diceId: number, changes: Partial<DiceBet> = {}): GameRequest {
  const bet = { ...diceBet(userId, diceId), ...changes };
  return playRequest(bet, bet);
}
