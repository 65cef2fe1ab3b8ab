import type { AppError } from '../../../platform/errors.ts';
import type { Rate, Units } from '../../../platform/money.ts';
import type { Player } from '../../base/players/service.ts';
import {
  type GateFacts,
  refusalOf as gateRefusal,
  type Restrictions,
  type World,
} from '../../compliance/gate/rules.ts';
import type { Wallet } from '../../money/ledger/rules.ts';
import type { BetChange, NewBet, OpenBet } from '../bets/queries.ts';
import { ALGORITHM_VERSION } from '../fairness/rules.ts';
import type { SeedPair } from '../fairness/service.ts';
import type { RoundRow } from './queries.ts';
import type { BetRequest, GameRequest, PlacedRequest, RoundRequest } from './request.ts';
import { countedUsdOf, type Moved, type Paid } from './rules.ts';

/** What is known of the players under their locks, as the requests before have left it. */
export type Table = {
  /** The time of the transaction; restricted players and rounds are decided with a block only. */
  at: Date;
  player: (userId: number) => Player;
  nonce: (player: Player) => number;
  /** Their last bet, where it was kept. */
  lastBetAt: (player: Player) => Date | null;
  pair: (id: bigint) => SeedPair;
  wallet: (userId: number, currencyId: string) => Wallet;
  round: (userId: number, gameId: number) => RoundRow | undefined;
  restrictions: (player: Player) => Restrictions | undefined;
  /** The shared round, while it takes bets. */
  shared: SharedRound | undefined;
  /** US dollars that a player has placed in it, as they entered them. */
  placed: (userId: number) => Units;
  outlook: (country: string | null) => World;
};

/** The round of speed-roulette that takes bets; its limits were fixed when it began. */
export type SharedRound = { id: bigint; minBet: Units; maxBet: Units; maxProfit: Units };

/** Ids of one transaction: a block of them, and its time. */
export type Block = { base: bigint; at: Date };

/** What a request comes to: nothing has changed yet. Ids are places in the block, from `offset` on. */
export type Effect = {
  wallet: Wallet;
  staked: Moved;
  credit: { kind: 'bet.payout' | 'bet.stake.rollback' } & Moved;
  /** Whose bet this is, where it is a new one. */
  madeBy?: Player;
  /** Moves the nonce of their pair on by one. */
  nonceOf?: Player;
  /** The entry that its money belongs to: the bet. */
  entry: { offset: number } | { betId: bigint };
  settled?: NewBet;
  opened?: OpenBet;
  changed?: BetChange;
  /** The round as it is now; `over` when it has ended. */
  round?: { row: RoundRow; isOver: boolean };
  answer: (block: Block) => object;
};

/** A request for a new bet that nothing speaks against, and what is known then. */
export type NewBetRequest = BetRequest | RoundRequest | PlacedRequest;
export type Ready = { player: Player; wallet: Wallet; staked: Moved; table: Table; offset: number };

export const NO_SEEDS = { seedPairId: null, nonce: null };
export const NO_PAYOUT: Effect['credit'] = { kind: 'bet.payout', units: 0n, countedUsd: 0n };

/** What the gate says to new money. */
export function refusedByGate(
  { country }: GameRequest,
  { player, stakeUsd, table }: { player: Player; stakeUsd: Units; table: Table },
): AppError | undefined {
  const facts: GateFacts = {
    ...table.outlook(country),
    at: table.at,
    isBanned: player.isBanned,
    stakeUsd,
  };
  if (player.isRestricted) facts.restrictions = table.restrictions(player);
  return gateRefusal('bet', facts);
}

/** The parts of a row that are known when a bet is made. */
export const newRow = (request: NewBetRequest, { staked, offset }: Ready) => ({
  id: offset,
  userId: request.userId,
  gameId: request.game.id,
  currencyId: request.currency.id,
  amount: staked.units,
  usdAmount: staked.countedUsd,
  betUsd: request.betUsd,
  usdRate: request.rate,
  maxProfitUsd: request.maxProfitUsd,
  rtpBp: request.rtpBp,
  algorithmVersion: ALGORITHM_VERSION,
  windowId: request.windowId,
});

export const payout = ({ payout: units }: Paid, rate: Rate): Effect['credit'] => ({
  kind: 'bet.payout',
  units,
  countedUsd: countedUsdOf(units, rate),
});
