import { iso } from '../../../platform/clock.ts';
import { type Db, run } from '../../../platform/database/db.ts';
import type { Units } from '../../../platform/money.ts';
import type { BetChange } from '../bets/queries.ts';
import { stream } from '../fairness/hash.ts';
import { bettingErrors } from './errors.ts';
import { type Asked, type Betting, type Order, playRequest } from './place.ts';
import { admit, type BetDraft, draftOf, NO_SEEDS, payout, playBet } from './play.ts';
import { type OpenRound, readRoundsStatement, removeRounds, writeRounds } from './queries.ts';
import type { Batch, Call, Draft, FreshBet, GameRequest, SingleStep, Store } from './request.ts';
import { countedUsdOf, type End, type Money, type Moved, type Next, type Terms, type Turn } from './rules.ts';

export type { OpenRound } from './queries.ts';
export type Rounds = ReturnType<typeof createRounds>;

/** The state of a round after a request. `end` is set if the round has ended. */
export type ShownRound<S> = OpenRound<S> & { end?: Turn<S>['end']; finishedAt: string | null };

/** The start of a round. */
export type Start<Answer extends object = object, S extends object = object> = {
  /** True if the round is dealt from a prearranged deck, without seeds and nonce. `next` is then undefined. */
  isForced?: boolean | undefined;
  /** Pure. Returns the first turn. */
  begin(terms: Terms & { side?: Money | undefined }, next: Next | undefined): Turn<S>;
  answer(round: ShownRound<S>): Answer;
};

/** An action on the player's open round in a game. */
export type Action<Answer extends object = object, S extends object = object> = {
  /** Pure. Returns the next turn. Throws if the action is not possible now. */
  act(round: OpenRound<S>, next: Next | undefined): Turn<S>;
  answer(round: ShownRound<S>): Answer;
};

type Game = GameRequest['game'];

/** Creates the functions for single-player rounds. A round stays open until an action ends it. */
export function createRounds({ db, betting }: { db: Db; betting: Betting }) {
  const find = async <S extends object>(userId: number, game: Game): Promise<OpenRound<S> | undefined> => {
    const rounds = await run<OpenRound<S>>(db, readRoundsStatement([userId]));
    return rounds.find(({ gameId }) => gameId === game.id);
  };
  return {
    /** Starts a round, which may end immediately. `sideBetAmount`, in US dollars, is staked with the bet. */
    start: <Answer extends object, S extends object>(start: Order & Start<Answer, S>): Promise<Answer> =>
      betting.bet(start, (bet) => startRequest(bet, start)),

    /** Performs an action in the player's open round. An additional stake must pass the gate. Throws 404 ROUND_NOT_FOUND. */
    act: <Answer extends object, S extends object>(action: Asked & Action<Answer, S>): Promise<Answer> =>
      betting.act(action, (call) => actionRequest(call, action)),

    /** Places a bet that is settled in one step on a game with rounds. Rejected while a round is open. */
    playAlone: <Answer extends object, Outcome extends object>(
      order: Order,
      step: SingleStep<Answer, Outcome>,
    ): Promise<Answer> => betting.bet(order, (bet) => aloneRequest(bet, step)),

    find,

    /** Returns the player's open round of a game. Throws 404 ROUND_NOT_FOUND. */
    async get<S extends object>(userId: number, game: Game): Promise<OpenRound<S>> {
      const round = await find<S>(userId, game);
      if (!round) throw bettingErrors.ROUND_NOT_FOUND({ game: game.slug });
      return round;
    },
  };
}

/** Open rounds by player and game, as read from the database and then changed by the batch. */
type OpenRounds = {
  read: ReadonlyMap<string, OpenRound>;
  current: Map<string, { row: OpenRound; isOver: boolean }>;
};
type RoundKey = Pick<OpenRound, 'userId' | 'gameId'>;

const nameOf = ({ userId, gameId }: RoundKey) => `${userId}:${gameId}`;

const OPEN_ROUNDS: Store<OpenRounds> = {
  read: (requests) => [readRoundsStatement([...new Set(requests.map(({ userId }) => userId))])],
  stateOf: ([rows]) => ({
    read: new Map((rows as OpenRound[]).map((row) => [nameOf(row), row])),
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

function roundIn({ read, current }: OpenRounds, key: RoundKey): OpenRound | undefined {
  const now = current.get(nameOf(key));
  if (now) return now.isOver ? undefined : now.row;
  return read.get(nameOf(key));
}

const setRound = ({ current }: OpenRounds, row: OpenRound, isOver: boolean) =>
  current.set(nameOf(row), { row, isOver });

/** Returns the error with which a new bet on a game with rounds is rejected, if any. */
const refusalOf = ({ userId, game, refusal }: FreshBet, rounds: OpenRounds) =>
  refusal ??
  (roundIn(rounds, { userId, gameId: game.id }) ? bettingErrors.ROUND_OPEN({ game: game.slug }) : undefined);

/** Builds the request of a bet in one step, which is rejected while a round of its game is open. */
export const aloneRequest = <Answer extends object, Outcome extends object>(
  bet: FreshBet,
  step: SingleStep<Answer, Outcome>,
): GameRequest<Answer, OpenRounds> => ({
  ...playRequest(bet, step),
  store: OPEN_ROUNDS,
  decide: (batch, rounds) => playBet({ ...bet, refusal: refusalOf(bet, rounds) }, step, batch),
});

/** Builds the request that starts a round, with an optional side bet. */
export const startRequest = <Answer extends object, S extends object>(
  bet: FreshBet,
  start: Start<Answer, S>,
): GameRequest<Answer, OpenRounds> => ({
  ...bet,
  store: OPEN_ROUNDS,
  decide: (batch, rounds) =>
    beginRound({ ...bet, refusal: refusalOf(bet, rounds) }, start, { batch, rounds }),
});

/** Builds the request of an action on an open round. */
export const actionRequest = <Answer extends object, S extends object>(
  call: Call,
  action: Action<Answer, S>,
): GameRequest<Answer, OpenRounds> => ({
  ...call,
  store: OPEN_ROUNDS,
  decide: (batch, rounds) => actOnRound(call, action, { batch, rounds }),
});

type Locked = { batch: Batch; rounds: OpenRounds };

/** Starts a round. A round that ends immediately is settled like a single-step bet. */
function beginRound<Answer extends object>(
  bet: FreshBet,
  { isForced, begin, answer }: Start<Answer>,
  { batch, rounds }: Locked,
): Draft<Answer> {
  const { player, stake, row } = admit(bet, batch, bet.side?.units);
  const seeds = isForced ? NO_SEEDS : { seedPairId: player.seedPairId, nonce: batch.nonce(player) };
  const turn = begin(bet, streamOf(seeds, batch));
  const { state, end } = turn;
  if (end === 'void' || turn.stake) throw new Error(`${bet.game.slug} begins with more than a bet`);
  const credit = payout(end?.paid.payout ?? 0n, bet.rate);
  const round: OpenRound = {
    ...bet,
    ...row,
    ...seeds,
    betId: batch.base + BigInt(row.id),
    status: 'CREATED',
    state,
    actedAt: batch.at,
    createdAt: batch.at,
  };
  const outcome = end
    ? { settled: { ...row, ...seeds, ...written(end), payout: credit.units, usdPayout: credit.countedUsd } }
    : {
        opened: { ...row, ...seeds, inputs: null, roundId: null },
        changeState: () => setRound(rounds, round, false),
      };
  return draftOf(batch, {
    ...stake,
    ...outcome,
    credit,
    takesNonce: !isForced,
    risk: end?.risk,
    answer: () => answer(shown(round, turn, batch)),
  });
}

/** Performs an action in a round. An additional stake must pass the gate, as a bet does. */
function actOnRound<Answer extends object>(
  { userId, country, game }: Call,
  { act, answer }: Action<Answer>,
  { batch, rounds }: Locked,
): Draft<Answer> {
  const before = roundIn(rounds, { userId, gameId: game.id });
  if (!before) throw bettingErrors.ROUND_NOT_FOUND({ game: game.slug });
  const turn = act(before, streamOf(before, batch));
  const wallet = batch.wallet(userId, before.currencyId);
  const more = { wallet, usd: 0n, gameId: game.id, betId: before.betId };
  const needed = turn.needs ?? turn.stake;
  if (needed) {
    const refusal = batch.refusalOf({ userId, country }, raised(before, needed.units).countedUsd);
    if (refusal) throw refusal;
    batch.fund({ ...more, units: needed.units });
  }
  const staked = raised(before, turn.stake?.units ?? 0n);
  const funds = turn.stake && batch.fund({ ...more, units: staked.units });
  const round: OpenRound = {
    ...before,
    state: turn.state,
    status: 'CREATED',
    actedAt: batch.at,
    amount: before.amount + staked.units,
    usdAmount: before.usdAmount + staked.countedUsd,
  };
  const credit = creditOf(round, turn);
  // An action reopens a round with the status ERROR.
  const isChanged = turn.stake || turn.end || before.status === 'ERROR';
  return draftOf(batch, {
    game: game.slug,
    wallet,
    staked,
    funds,
    credit,
    entry: { betId: round.betId },
    risk: turn.end === 'void' ? undefined : turn.end?.risk,
    ...(isChanged && { changed: changeOf(round, { end: turn.end, credit, settlement: batch.offset }) }),
    changeState: () => setRound(rounds, round, turn.end !== undefined),
    answer: () => answer(shown(round, turn, batch)),
  });
}

/**
 * Returns the dollar value of an additional stake. It is the difference between the new and the previous value of the total stake, so that
 * the total is rounded only once.
 */
const raised = ({ amount, rate }: OpenRound, units: Units): Moved => ({
  units,
  countedUsd: countedUsdOf(amount + units, rate) - countedUsdOf(amount, rate),
});

/** Returns the random numbers of a round, starting with the first one, or undefined if the round was dealt from a prearranged deck. */
function streamOf({ seedPairId, nonce }: Pick<OpenRound, 'seedPairId' | 'nonce'>, batch: Batch) {
  if (seedPairId === null) return undefined;
  const { serverSeed, clientSeed } = batch.pair(seedPairId);
  return stream(serverSeed, clientSeed, nonce!);
}

const written = ({ inputs, outcome, undecided }: End) => ({
  inputs: JSON.stringify(inputs),
  outcome: JSON.stringify(outcome),
  undecided,
});

function creditOf(
  { amount, usdAmount, rate, createdAt }: OpenRound,
  { end }: Turn<object>,
): BetDraft['credit'] {
  // The returned stake is counted with the rounding rule that applied when the stake was debited.
  if (end === 'void')
    return { kind: 'bet.stake.rollback', madeAt: createdAt, units: amount, countedUsd: usdAmount };
  return payout(end?.paid.payout ?? 0n, rate);
}

function changeOf(
  { betId: id, amount, usdAmount }: OpenRound,
  { end, credit, settlement }: Pick<Turn<object>, 'end'> & { credit: BetDraft['credit']; settlement: number },
): BetChange {
  const open = { id, amount, usdAmount, payout: 0n, usdPayout: 0n, inputs: null, outcome: null };
  if (!end) return { ...open, status: 'CREATED', settlement: null };
  if (end === 'void') return { ...open, status: 'ROLLBACK', settlement };
  const [payout, usdPayout] = [credit.units, credit.countedUsd];
  return { ...open, ...written(end), status: 'SETTLED', settlement, payout, usdPayout };
}

const shown = (round: OpenRound, { end }: Turn<object>, { at }: Batch): ShownRound<object> => ({
  ...round,
  end,
  finishedAt: end ? iso(at) : null,
});
