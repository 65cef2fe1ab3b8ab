/** Helpers that build batches of bets without a database: players, drafts and the rows that were read before. */
import type { Player } from '../../../src/modules/base/players/service.ts';
import type { BetChange, NewBet, OpenBet } from '../../../src/modules/games/bets/queries.ts';
import { planBatch } from '../../../src/modules/games/betting/batch.ts';
import type { Readings } from '../../../src/modules/games/betting/books.ts';
import { type BetDraft, draftOf } from '../../../src/modules/games/betting/play.ts';
import type { Batch, GameRequest } from '../../../src/modules/games/betting/request.ts';
import type { Wallet } from '../../../src/modules/money/ledger/rules.ts';
import { openWorld } from '../games/bets.ts';

export const AT = new Date('2026-11-21T12:00:00Z');
export const BLOCK = { base: 1024n, at: AT };
const NOTHING = { units: 0n, countedUsd: 0n };

export const player = (change: Partial<Player> = {}): Player => ({
  userId: 11,
  seedPairId: 1n,
  nonce: 4,
  isBanned: false,
  isRestricted: false,
  hasGrant: false,
  grantsVersion: 0,
  lastBetAt: null,
  ...change,
});
export const wallet = (cash = 100n): Wallet => ({
  userId: 11,
  currencyId: 'USDT',
  version: 1n,
  cash,
  vault: 0n,
  bonus: 0n,
  hold: 0n,
});
export const readings = (change: Partial<Readings> = {}): Readings => ({
  players: new Map([[11, player()]]),
  wallets: new Map([['11:USDT', wallet()]]),
  stored: new Map(),
  restrictions: new Map(),
  states: new Map(),
  outlook: openWorld,
  pairs: () => undefined,
  ...change,
});

/** The draft of a request. Fields that are left out move no money. */
export type Change = Partial<BetDraft> | ((batch: Batch, state: unknown) => Partial<BetDraft>);
export const request = (change: Change = {}, more: Partial<GameRequest> = {}): GameRequest => ({
  userId: 11,
  country: null,
  game: { id: 1, slug: 'test' },
  repeat: undefined,
  decide: (batch, state) =>
    draftOf(batch, {
      game: 'test',
      wallet: batch.wallet(11, 'USDT'),
      staked: NOTHING,
      credit: { kind: 'bet.payout', ...NOTHING },
      entry: { offset: batch.offset },
      answer: () => ({}),
      ...(typeof change === 'function' ? change(batch, state) : change),
    }),
  ...more,
});
export const moved = (units: bigint) => ({ units, countedUsd: 2n * units });
export const won = (units: bigint) => ({ kind: 'bet.payout' as const, ...moved(units) });
export const refusing = (error: unknown): Change => {
  return () => {
    throw error;
  };
};
export const plan = (requests: GameRequest[], change: Partial<Readings> = {}) =>
  planBatch(requests, readings(change), BLOCK);

export const NEW_BET: NewBet = {
  id: 0,
  userId: 11,
  gameId: 1,
  currencyId: 'USDT',
  amount: 10n,
  payout: 15n,
  usdAmount: 20n,
  usdPayout: 30n,
  betUsd: 20n,
  usdRate: 2n,
  maxProfitUsd: 100n,
  seedPairId: 1n,
  nonce: 4,
  rtpBp: 9900,
  algorithmVersion: '1',
  windowId: null,
  inputs: '{}',
  outcome: '{}',
};
const { payout: _, usdPayout: __, outcome: ___, ...made } = NEW_BET;
export const OPEN_BET: OpenBet = { ...made, roundId: null };
export const CHANGE: BetChange = {
  id: 900n,
  status: 'SETTLED',
  amount: 10n,
  usdAmount: 20n,
  payout: 15n,
  usdPayout: 30n,
  settlement: 0,
  inputs: null,
  outcome: null,
};
