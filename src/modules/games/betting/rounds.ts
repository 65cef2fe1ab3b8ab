import { iso } from '../../../platform/clock.ts';
import { type Db, run } from '../../../platform/db.ts';
import type { Units } from '../../../platform/money.ts';
import { insufficient } from '../../money/ledger/post.ts';
import type { BetChange } from '../bets/queries.ts';
import { stream } from '../fairness/hash.ts';
import { bettingErrors } from './errors.ts';
import {
  admit,
  type Betting,
  type Bettor,
  type Call,
  type FreshBet,
  NO_SEEDS,
  type Order,
  payout,
  playBet,
  playRequest,
  type SingleStep,
} from './play.ts';
import { type RoundRow, readRoundsStatement, removeRounds, writeRounds } from './queries.ts';
import type { Batch, Credit, Effect, GameRequest, Store } from './request.ts';
import { countedUsdOf, type Money, type Moved, type Next, type Terms, type Turn } from './rules.ts';

export type Rounds = ReturnType<typeof createRounds>;

/** A round as the rules see it; `total` is what was staked so far, in its currency. */
export type OpenRound<S> = Terms & {
  betId: string;
  currencyId: string;
  createdAt: string;
  /** Of the last action. */
  actedAt: Date;
  rtpBp: number;
  total: Units;
  state: S;
};

/** A round after a request; `end` says how it ended, if it has. */
export type ShownRound<S> = OpenRound<S> & {
  end: Exclude<Turn<S>['end'], undefined> | undefined;
  finishedAt: string | null;
};

/** The start of a round. */
export type Start<Answer extends object = object, S extends object = object> = {
  /** Dealt from a given deck: no seeds and no nonce, `next` is undefined. */
  isForced?: boolean | undefined;
  /** Pure: what the start comes to. */
  begin(terms: Terms & { side: Money | undefined }, next: Next | undefined): Turn<S>;
  answer(round: ShownRound<S>): Answer;
};

/** An action on the player's open round of a game. */
export type Action<Answer extends object = object, S extends object = object> = {
  /** Pure: what the action comes to. Throws what speaks against it. */
  act(round: OpenRound<S>, next: Next | undefined): Turn<S>;
  answer(round: ShownRound<S>): Answer;
};

type Game = GameRequest['game'];

/** Rounds of one player on seeds of their own: they stay open from their start until an action ends them. */
export function createRounds({ db, betting }: { db: Db; betting: Betting }) {
  const find = async <S extends object>(userId: number, game: Game): Promise<OpenRound<S> | undefined> => {
    const rows = await run<RoundRow<S>>(db, readRoundsStatement([userId]));
    const row = rows.find((r) => r.gameId === game.id);
    return row && openRound(row);
  };
  return {
    /** Begins a round, which stays open unless it ends at once. `sideBetAmount` in US dollars is staked with the bet. */
    start<Answer extends object, S extends object>({
      isForced,
      begin,
      answer,
      ...order
    }: Order & Start<Answer, S>): Promise<Answer> {
      return betting.bet(order, ({ bet, side }) => startRequest({ ...bet, side, isForced, begin, answer }));
    },

    /** Acts on the player's open round: throws 404 ROUND_NOT_FOUND when there is none. New money is asked of the gate. */
    act<Answer extends object, S extends object>({
      game,
      act,
      answer,
      ...call
    }: { by: Bettor; game: Game; operation: string; body: object } & Action<Answer, S>): Promise<Answer> {
      return betting.act({ ...call, game }, (asked) => actionRequest(asked, { act, answer }));
    },

    /** A bet in one step on a game of rounds: refused while a round is open. */
    playAlone<Answer extends object, Outcome extends object>({
      inputs,
      play,
      answer,
      ...order
    }: Order & SingleStep<Answer, Outcome>): Promise<Answer> {
      return betting.bet(order, ({ bet }) => aloneRequest({ ...bet, inputs, play, answer }));
    },

    /** The player's open round of a game. */
    find,

    /** The same; throws 404 ROUND_NOT_FOUND. */
    async get<S extends object>(userId: number, game: Game): Promise<OpenRound<S>> {
      const round = await find<S>(userId, game);
      if (!round) throw bettingErrors.ROUND_NOT_FOUND({ game: game.slug });
      return round;
    },
  };
}

/** Open rounds by player and game: as they were read, and as the batch has left them. */
type OpenRounds = {
  read: ReadonlyMap<string, RoundRow>;
  current: Map<string, { row: RoundRow; isOver: boolean }>;
};
type RoundKey = Pick<RoundRow, 'userId' | 'gameId'>;

const nameOf = ({ userId, gameId }: RoundKey) => `${userId}:${gameId}`;

const OPEN_ROUNDS: Store<OpenRounds> = {
  read: (requests) => [readRoundsStatement([...new Set(requests.map(({ userId }) => userId))])],
  stateOf: ([rows]) => ({
    read: new Map((rows as RoundRow[]).map((row) => [nameOf(row), row])),
    current: new Map(),
  }),
  write({ read, current }) {
    const over = [...current].filter(([name, now]) => now.isOver && read.has(name)).map(([, now]) => now.row);
    const open = [...current.values()].filter((now) => !now.isOver).map((now) => now.row);
    return [
      ...(over.length > 0 ? [removeRounds(over)] : []),
      ...(open.length > 0 ? [writeRounds(open)] : []),
    ];
  },
};

function roundIn({ read, current }: OpenRounds, key: RoundKey): RoundRow | undefined {
  const now = current.get(nameOf(key));
  if (now) return now.isOver ? undefined : now.row;
  return read.get(nameOf(key));
}

const setRound = ({ current }: OpenRounds, row: RoundRow, isOver: boolean) =>
  current.set(nameOf(row), { row, isOver });

/** What speaks against a new bet on a game of rounds. */
const refusalOf = ({ userId, game, refusal }: FreshBet, rounds: OpenRounds) =>
  refusal ??
  (roundIn(rounds, { userId, gameId: game.id }) ? bettingErrors.ROUND_OPEN({ game: game.slug }) : undefined);

/** A bet in one step, refused while a round of its game is open. */
export const aloneRequest = <Answer extends object, Outcome extends object>(
  bet: FreshBet & SingleStep<Answer, Outcome>,
): GameRequest<Answer, OpenRounds> => ({
  ...playRequest(bet),
  store: OPEN_ROUNDS,
  decide: (batch, rounds) => playBet(bet, batch, refusalOf(bet, rounds)),
});

type NewRound<Answer extends object = object, S extends object = object> = FreshBet &
  Start<Answer, S> & { side: Money | undefined };

/** The start of a round. */
export const startRequest = <Answer extends object, S extends object>(
  round: NewRound<Answer, S>,
): GameRequest<Answer, OpenRounds> => ({
  ...round,
  store: OPEN_ROUNDS,
  decide: (batch, rounds) => beginRound(round, batch, rounds),
});

/** An action on the player's open round of a game. */
export const actionRequest = <Answer extends object, S extends object>(
  call: Call,
  action: Action<Answer, S>,
): GameRequest<Answer, OpenRounds> => ({
  ...call,
  store: OPEN_ROUNDS,
  decide: (batch, rounds) => actOnRound(call, action, batch, rounds),
});

/** One that ends at once is settled like a bet in one step. */
function beginRound<Answer extends object>(
  request: NewRound<Answer>,
  batch: Batch,
  rounds: OpenRounds,
): Effect<Answer> {
  const { side, isForced, rate, game } = request;
  const sideStake = side?.units;
  const { player, effect, row } = admit(request, batch, { refusal: refusalOf(request, rounds), sideStake });
  const seeds = isForced ? NO_SEEDS : { seedPairId: player.seedPairId, nonce: batch.nonce(player) };
  const turn = request.begin(request, streamOf(seeds, batch));
  const { end } = turn;
  if (end === 'void' || turn.stake) throw new Error(`${game.slug} begins with more than a bet`);
  const credit = payout(end?.paid.payout ?? 0n, rate);
  const round: RoundRow = {
    ...seeds,
    userId: request.userId,
    gameId: game.id,
    betId: batch.base + BigInt(row.id),
    status: 'CREATED',
    betUsd: request.betUsd,
    stake: request.stake,
    state: turn.state,
    actedAt: batch.at,
    createdAt: batch.at,
    currencyId: request.currencyId,
    decimals: request.decimals,
    amount: row.amount,
    usdAmount: row.usdAmount,
    rate,
    rtpBp: request.rtpBp,
    maxProfitUsd: request.maxProfitUsd,
  };
  return {
    ...effect,
    credit,
    takesNonce: !isForced,
    answer: () => request.answer(shown(round, turn, batch)),
    ...(end
      ? {
          settled: {
            ...row,
            ...seeds,
            ...writtenEnd(end),
            payout: credit.units,
            usdPayout: credit.countedUsd,
          },
        }
      : {
          opened: { ...row, ...seeds, inputs: null, roundId: null },
          changeState: () => setRound(rounds, round, false),
        }),
  };
}

/** New money passes the gate like a bet. */
function actOnRound<Answer extends object>(
  { userId, country, game }: Call,
  { act, answer }: Action<Answer>,
  batch: Batch,
  rounds: OpenRounds,
): Effect<Answer> {
  const row = roundIn(rounds, { userId, gameId: game.id });
  if (!row) throw bettingErrors.ROUND_NOT_FOUND({ game: game.slug });
  const turn = act(openRound(row), streamOf(row, batch));
  const wallet = batch.wallet(userId, row.currencyId);
  const needed = turn.needs ?? turn.stake;
  if (needed) {
    const refusal = batch.refusalOf({ userId, country }, raised(row, needed.units).countedUsd);
    if (refusal) throw refusal;
    if (wallet.cash < needed.units) throw insufficient('cash', wallet);
  }
  const staked = raised(row, turn.stake?.units ?? 0n);
  const next: RoundRow = {
    ...row,
    state: turn.state,
    status: 'CREATED',
    actedAt: batch.at,
    amount: row.amount + staked.units,
    usdAmount: row.usdAmount + staked.countedUsd,
  };
  const credit = creditOf(next, turn);
  // A round that is played on is no error any more.
  const isChanged = turn.stake || turn.end || row.status === 'ERROR';
  return {
    wallet,
    staked,
    credit,
    entry: { betId: row.betId },
    ...(isChanged ? { changed: changeOf(next, { end: turn.end, credit, offset: batch.offset }) } : {}),
    changeState: () => setRound(rounds, next, turn.end !== undefined),
    answer: () => answer(shown(next, turn, batch)),
  };
}

/** What more units on a round count as: with those before them as much as all of them together. */
const raised = ({ amount, rate }: RoundRow, units: Units): Moved => ({
  units,
  countedUsd: countedUsdOf(amount + units, rate) - countedUsdOf(amount, rate),
});

/** The numbers of a round, each time from the first on; undefined where it was dealt from a given deck. */
function streamOf({ seedPairId, nonce }: Pick<RoundRow, 'seedPairId' | 'nonce'>, batch: Batch) {
  if (seedPairId === null) return undefined;
  const { serverSeed, clientSeed } = batch.pair(seedPairId);
  return stream(serverSeed, clientSeed, nonce!);
}

const writtenEnd = ({ inputs, outcome }: { inputs: object; outcome: object }) => ({
  inputs: JSON.stringify(inputs),
  outcome: JSON.stringify(outcome),
});

function creditOf({ amount, usdAmount, rate, createdAt }: RoundRow, { end }: Turn<object>): Credit {
  // What was counted is given back, by whatever rule it was.
  if (end === 'void')
    return { kind: 'bet.stake.rollback', madeAt: createdAt, units: amount, countedUsd: usdAmount };
  return payout(end?.paid.payout ?? 0n, rate);
}

function changeOf(
  { betId: id, amount, usdAmount }: RoundRow,
  { end, credit, offset }: Pick<Turn<object>, 'end'> & { credit: Credit; offset: number },
): BetChange {
  const open = { id, amount, usdAmount, payout: 0n, usdPayout: 0n, inputs: null, outcome: null };
  if (!end) return { ...open, status: 'CREATED', settlement: null };
  if (end === 'void') return { ...open, status: 'ROLLBACK', settlement: offset };
  return {
    ...open,
    ...writtenEnd(end),
    status: 'SETTLED',
    settlement: offset,
    payout: credit.units,
    usdPayout: credit.countedUsd,
  };
}

function openRound<S>(row: RoundRow<S>): OpenRound<S> {
  const { betId, betUsd, stake, rate, decimals, maxProfitUsd, currencyId, rtpBp, state, actedAt } = row;
  return {
    betId: String(betId),
    currencyId,
    createdAt: iso(row.createdAt),
    actedAt,
    rtpBp,
    state,
    betUsd,
    stake,
    rate,
    decimals,
    maxProfitUsd,
    total: row.amount,
  };
}

const shown = (row: RoundRow, { end }: Turn<object>, { at }: Batch): ShownRound<object> => ({
  ...openRound(row),
  end,
  finishedAt: end ? iso(at) : null,
});
