import { iso } from '../../platform/clock.ts';
import { type AppError, commonErrors } from '../../platform/errors.ts';
import { formatUnits, type Units } from '../../platform/money.ts';
import type { BetChange, NewBet, OpenBet } from '../bets/queries.ts';
import { stream } from '../fairness/hash.ts';
import { ALGORITHM_VERSION } from '../fairness/rules.ts';
import type { SeedPair } from '../fairness/service.ts';
import { type GateFacts, refusalOf as gateRefusal, type Restrictions, type World } from '../gate/rules.ts';
import { insufficient } from '../ledger/post.ts';
import type { Wallet } from '../ledger/rules.ts';
import type { Player } from '../players/service.ts';
import { houseGameErrors } from './errors.ts';
import type { RoundRow } from './queries.ts';
import type {
  ActionRequest,
  BetRequest,
  FreshBet,
  GameRequest,
  OpenRound,
  PlacedRequest,
  RoundRequest,
  ShownRound,
} from './request.ts';
import { type Money, type Paid, payoutsOf, type Turn } from './rules.ts';

/** What is known of the players under their locks, as the requests before have left it. */
export type Table = {
  /** The time of the transaction; restricted players and rounds are decided with a block only. */
  at: Date;
  player: (userId: number) => Player;
  nonce: (player: Player) => number;
  pair: (id: bigint) => SeedPair;
  wallet: (userId: number, currencyId: string) => Wallet;
  round: (userId: number, gameId: number) => RoundRow | undefined;
  restrictions: (player: Player) => Restrictions | undefined;
  /** The shared round, while it takes bets. */
  shared: SharedRound | undefined;
  /** US dollars that a player has placed in it. */
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
  staked: Money;
  credit: { kind: 'bet.payout' | 'bet.stake.rollback'; units: Units; usd: Units };
  /** Moves the nonce of his pair on by one. */
  nonceOf?: Player;
  /** The entry that its money belongs to: the bet. */
  entry: { offset: number } | { betId: bigint };
  settled?: NewBet;
  opened?: OpenBet;
  changed?: BetChange;
  /** The round as it is now; `over` when it has ended. */
  round?: { row: RoundRow; isOver: boolean };
  /** Whether it settles a bet. */
  settles: boolean;
  answer: (block: Block) => object;
};

const NOTHING: Money = { usd: 0n, units: 0n };

/** Decides a request; pure. Throws what it is refused with. */
export function decide(request: GameRequest, table: Table, offset: number): Effect {
  const player = table.player(request.userId);
  if ('act' in request) return decideAction(request, player, { table, offset });
  const staked = stakesOf(request);
  const refusal =
    closed(request) ??
    refusedByGate(request, { player, usd: staked.usd, table }) ??
    ('isShared' in request ? late(request, table) : (request.refusal ?? occupied(request, table)));
  if (refusal) throw refusal;
  const wallet = table.wallet(request.userId, request.currency.id);
  if (wallet.cash < staked.units) throw insufficient('cash', wallet);
  const ready = { player, wallet, staked, table, offset };
  if ('play' in request) return playBet(request, ready);
  return 'begin' in request ? beginRound(request, ready) : placeBet(request, ready);
}

type NewBetRequest = BetRequest | RoundRequest | PlacedRequest;
type Ready = { player: Player; wallet: Wallet; staked: Money; table: Table; offset: number };

function stakesOf(request: NewBetRequest): Money {
  const { betUsd: usd, stake: units } = request;
  const side = 'begin' in request ? request.side : undefined;
  return side ? { usd: usd + side.usd, units: units + side.units } : { usd, units };
}

const closed = ({ game, isOpen }: FreshBet): AppError | undefined =>
  isOpen?.() === false ? houseGameErrors.GAME_DISABLED({ game: game.slug }) : undefined;

function refusedByGate(
  { country }: GameRequest,
  { player, usd, table }: { player: Player; usd: Units; table: Table },
): AppError | undefined {
  const facts: GateFacts = {
    ...table.outlook(country),
    at: table.at,
    isBanned: player.isBanned,
    stakeUsd: usd,
  };
  if (player.isRestricted) facts.restrictions = table.restrictions(player);
  return gateRefusal('bet', facts);
}

const occupied = (request: BetRequest | RoundRequest, table: Table): AppError | undefined =>
  ('begin' in request || request.isAlone) && table.round(request.userId, request.game.id)
    ? houseGameErrors.ROUND_OPEN({ game: request.game.slug })
    : undefined;

/** What a bet counts against in the shared round: the player's bets in it together stay within its limit. */
function late(request: PlacedRequest, table: Table): AppError | undefined {
  const { shared } = table;
  if (!shared) return houseGameErrors.BETTING_CLOSED({ game: request.game.slug });
  const { minBet, maxBet } = shared;
  const isInRange =
    request.betUsd >= minBet && table.placed(request.userId) + request.betUsd <= maxBet && request.stake > 0n;
  const limits = { minBet: formatUnits(minBet), maxBet: formatUnits(maxBet) };
  return isInRange ? undefined : commonErrors.AMOUNT_OUT_OF_RANGE(limits);
}

/** The parts of a row that are known when a bet is made. */
const newRow = (request: NewBetRequest, { staked, offset }: Ready) => ({
  id: offset,
  userId: request.userId,
  gameId: request.game.id,
  currencyId: request.currency.id,
  amount: staked.units,
  usdAmount: staked.usd,
  usdRate: request.rate,
  maxProfitUsd: request.maxProfitUsd,
  rtpBp: request.rtpBp,
  algorithmVersion: ALGORITHM_VERSION,
  windowId: request.windowId,
});

const payout = ({ payout: units, payoutUsd: usd }: Paid): Effect['credit'] => ({
  kind: 'bet.payout',
  units,
  usd,
});

function playBet(request: BetRequest, ready: Ready): Effect {
  const { player, wallet, staked, table, offset } = ready;
  const { betUsd, stake, rate, maxProfitUsd } = request;
  const { decimals } = request.currency;
  const nonce = table.nonce(player);
  const { outcome, multiplier, scale } = request.play(table.pair(player.seedPairId), nonce);
  const paid = payoutsOf({ betUsd, stake, multiplier, scale, rate, decimals, maxProfitUsd });
  return {
    wallet,
    staked,
    credit: payout(paid),
    nonceOf: player,
    entry: { offset },
    settled: {
      ...newRow(request, ready),
      payout: paid.payout,
      usdPayout: paid.payoutUsd,
      seedPairId: player.seedPairId,
      nonce,
      inputs: JSON.stringify(request.inputs),
      outcome: JSON.stringify(outcome),
    },
    settles: true,
    answer: ({ base, at }) =>
      request.answer({
        betId: String(base + BigInt(offset)),
        createdAt: iso(at),
        betUsd,
        payoutUsd: paid.payoutUsd,
        outcome,
      }),
  };
}

function beginRound(request: RoundRequest, ready: Ready): Effect {
  const { player, wallet, staked, table, offset } = ready;
  const { betUsd, stake, rate, maxProfitUsd, rtpBp, currency, side } = request;
  const seeds = request.isForced ? NO_SEEDS : { seedPairId: player.seedPairId, nonce: table.nonce(player) };
  const turn = request.begin(
    { betUsd, stake, rate, decimals: currency.decimals, maxProfitUsd, side },
    numbersOf(seeds, table),
  );
  if (turn.end === 'void' || turn.stake) throw new Error(`${request.game.slug} begins with more than a bet`);
  const row = { ...newRow(request, ready), ...seeds };
  const round: RoundRow = {
    ...{ userId: request.userId, gameId: request.game.id, betId: 0n, betUsd, stake, state: turn.state },
    ...{ actedAt: table.at, createdAt: table.at, currencyId: currency.id, decimals: currency.decimals },
    ...{ amount: staked.units, usdAmount: staked.usd, rate, rtpBp, maxProfitUsd, ...seeds },
  };
  const base: Effect = {
    wallet,
    staked,
    credit: turn.end ? payout(turn.end.paid) : payout(NO_PAYOUT),
    ...(request.isForced ? {} : { nonceOf: player }),
    entry: { offset },
    settles: turn.end !== undefined,
    answer: (block) =>
      request.answer(
        shown({ ...round, betId: block.base + BigInt(offset), createdAt: block.at }, turn, block),
      ),
  };
  if (!turn.end)
    return { ...base, opened: { ...row, inputs: null, roundId: null }, round: { row: round, isOver: false } };
  const { inputs, outcome, paid } = turn.end;
  const settled = { ...row, payout: paid.payout, usdPayout: paid.payoutUsd, ...written({ inputs, outcome }) };
  return { ...base, settled };
}

function placeBet(request: PlacedRequest, ready: Ready): Effect {
  const { wallet, staked, table, offset } = ready;
  const { id, maxProfit } = table.shared!;
  const { betUsd } = request;
  return {
    wallet,
    staked,
    credit: payout(NO_PAYOUT),
    entry: { offset },
    opened: {
      ...newRow(request, ready),
      ...NO_SEEDS,
      maxProfitUsd: maxProfit,
      inputs: JSON.stringify(request.inputs),
      roundId: id,
    },
    settles: false,
    answer: ({ base, at }) =>
      request.answer({ betId: String(base + BigInt(offset)), createdAt: iso(at), betUsd }),
  };
}

function decideAction(
  request: ActionRequest,
  player: Player,
  { table, offset }: { table: Table; offset: number },
): Effect {
  const row = table.round(request.userId, request.game.id);
  if (!row) throw houseGameErrors.ROUND_NOT_FOUND({ game: request.game.slug });
  const turn = request.act(openRound(row), numbersOf(row, table));
  const wallet = table.wallet(request.userId, row.currencyId);
  const needed = turn.needs ?? turn.stake;
  if (needed) {
    const refusal = refusedByGate(request, { player, usd: needed.usd, table });
    if (refusal) throw refusal;
    if (wallet.cash < needed.units) throw insufficient('cash', wallet);
  }
  const staked = turn.stake ?? NOTHING;
  const next: RoundRow = {
    ...row,
    state: turn.state,
    amount: row.amount + staked.units,
    usdAmount: row.usdAmount + staked.usd,
  };
  const change = changeOf(next, turn, offset);
  return {
    wallet,
    staked,
    credit: creditOf(next, turn),
    entry: { betId: row.betId },
    ...(turn.stake || turn.end ? { changed: change } : {}),
    round: { row: next, isOver: turn.end !== undefined },
    settles: turn.end !== undefined && turn.end !== 'void',
    answer: (block) => request.answer(shown(next, turn, block)),
  };
}

const NO_SEEDS = { seedPairId: null, nonce: null };
const NO_PAYOUT: Paid = { payout: 0n, payoutUsd: 0n };

/** The numbers of a round, each time from the first on; undefined where it was dealt from a given deck. */
function numbersOf({ seedPairId, nonce }: { seedPairId: bigint | null; nonce: number | null }, table: Table) {
  if (seedPairId === null) return undefined;
  const { serverSeed, clientSeed } = table.pair(seedPairId);
  return stream(serverSeed, clientSeed, nonce!);
}

const written = ({ inputs, outcome }: { inputs: object; outcome: object }) => ({
  inputs: JSON.stringify(inputs),
  outcome: JSON.stringify(outcome),
});

function creditOf({ amount, usdAmount }: RoundRow, { end }: Turn<object>): Effect['credit'] {
  if (end === 'void') return { kind: 'bet.stake.rollback', units: amount, usd: usdAmount };
  return payout(end ? end.paid : NO_PAYOUT);
}

function changeOf(
  { betId: id, amount, usdAmount }: RoundRow,
  { end }: Turn<object>,
  offset: number,
): BetChange {
  const open = { id, amount, usdAmount, payout: 0n, usdPayout: 0n, inputs: null, outcome: null };
  if (!end) return { ...open, status: 'CREATED', settlement: null };
  if (end === 'void') return { ...open, status: 'ROLLBACK', settlement: offset };
  const { payout: units, payoutUsd } = end.paid;
  return {
    ...open,
    status: 'SETTLED',
    settlement: offset,
    payout: units,
    usdPayout: payoutUsd,
    ...written(end),
  };
}

/** A round as its rules see it. */
export function openRound(row: RoundRow): OpenRound<object> {
  const { betId, betUsd, stake, rate, decimals, maxProfitUsd, currencyId, rtpBp, state, actedAt } = row;
  return {
    ...{ betId: String(betId), currencyId, createdAt: iso(row.createdAt), actedAt, rtpBp, state },
    ...{ betUsd, stake, rate, decimals, maxProfitUsd },
    total: { usd: row.usdAmount, units: row.amount },
  };
}

const shown = (row: RoundRow, { end }: Turn<object>, { at }: Block): ShownRound<object> => ({
  ...openRound(row),
  end,
  finishedAt: end ? iso(at) : null,
});
