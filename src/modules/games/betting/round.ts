import { type Db, run } from '../../../platform/db.ts';
import { AppError, commonErrors } from '../../../platform/errors.ts';
import {
  formatUnits,
  isTooMuch,
  MAX_UNITS,
  parseUnits,
  type Rate,
  type Units,
} from '../../../platform/money.ts';
import { inputHash } from '../../base/idempotency/rules.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { bettingErrors } from './errors.ts';
import { type RoundRow, readRoundsStatement } from './queries.ts';
import type {
  ActionRequest,
  BetRequest,
  Bettor,
  FreshBet,
  GameRequest,
  OpenRound,
  PlacedRequest,
  PlayedBet,
  RoundRequest,
} from './request.ts';
import { isInRange, type Money, shownRange, stakeOf, usdDecimals } from './rules.ts';
import { playSeries, type Series, type SeriesSwitch } from './series.ts';
import type { Settlement } from './settlement.ts';
import { openRound } from './turns.ts';

export type Rounds = ReturnType<typeof createRounds>;
export type { Bettor, OpenRound, ShownRound } from './request.ts';

/** What every bet on a house game carries. `betAmount` is in US dollars. */
export type BetBody = { currencyId: string; betAmount: string; windowId?: string | undefined };

/** A game as bets need it: its limits in US dollars, its return in percent. */
export type Game = {
  id: number;
  slug: string;
  enabled: boolean;
  settings: { minBet: Units; maxBet: Units; maxProfit: Units; rtp: number };
};

/** RTP in basis points: an integer, because rtp has at most two decimals. */
export const basisPoints = (rtp: number): number => Math.round(rtp * 100);

type Bet = { by: Bettor; game: Game; body: BetBody };
type SingleBet<Answer extends object, Outcome extends object> = Bet &
  Pick<BetRequest<Answer, Outcome>, 'inputs' | 'isAlone' | 'play' | 'answer'>;
type Start<Answer extends object, S extends object> = Bet & {
  /** Amount of the side bet in US dollars. */
  side?: string | undefined;
  /** Dealt from this deck: no seeds and no nonce, `next` is undefined. */
  deck?: readonly number[];
} & Pick<RoundRequest<Answer, S>, 'begin' | 'answer'>;
type Action<Answer extends object, S extends object> = {
  by: Bettor;
  game: GameRequest['game'];
  /** What it is called and what it was sent with: a repeated Idempotency-Key must carry the same. */
  operation: string;
  body: object;
} & Pick<ActionRequest<Answer, S>, 'act' | 'answer'>;

/**
 * The way every house bet takes: currency and rate, stake, whether the game is on (after the form of the amounts), range, and
 * then the queue of the settlement. The rate is fixed here and stored on the bet. What the player's lock is needed for is decided there.
 */
export function createRounds({
  db,
  currencies,
  settlement,
  isOn,
  minStakeOf,
  countryOf,
  seriesClosedFor,
}: {
  db: Db;
  currencies: Currencies;
  settlement: Settlement;
  /** Whether a game takes bets at this moment: it may have been switched off while a bet waited. */
  isOn: (slug: string) => boolean;
  minStakeOf: (currency: { id: string; decimals: number }) => Units;
  countryOf: (ip: string) => string | null;
  seriesClosedFor: SeriesSwitch;
}) {
  const caller = ({ userId, ip, idempotencyKey }: Bettor, operation: string, body: object) => ({
    userId,
    country: countryOf(ip),
    repeat: idempotencyKey ? { key: idempotencyKey, inputHash: inputHash(operation, body) } : undefined,
  });
  /** A new bet; `side` is what is staked beside it. */
  const fresh = ({ by, game, body }: Bet, side?: string): FreshBet & { side: Money | undefined } => {
    const currency = currencies.get(body.currencyId);
    const rate = currencies.freshRate(currency.id);
    const terms = { currency, minStake: minStakeOf(currency), rate, game };
    const bet = stakeIn('betAmount', body.betAmount, terms);
    const more = side === undefined ? undefined : stakeIn('sideBetAmount', side, { ...terms, most: bet.usd });
    if (!isOn(game.slug)) throw bettingErrors.GAME_DISABLED({ game: game.slug });
    return {
      ...caller(by, `bet.${game.slug}`, body),
      game,
      currency,
      isOpen: () => isOn(game.slug),
      rate,
      betUsd: bet.usd,
      stake: bet.units,
      side: more && { usd: more.usd, units: more.units },
      refusal: bet.refusal ?? more?.refusal,
      rtpBp: basisPoints(game.settings.rtp),
      maxProfitUsd: game.settings.maxProfit,
      windowId: body.windowId ?? null,
    };
  };
  /** What was done under a key is answered by it, whatever speaks against doing it now. */
  const settle = <Answer extends object>(
    { by, game, body }: Bet,
    make: () => GameRequest<Answer>,
  ): Promise<Answer> => {
    let request: GameRequest<Answer>;
    try {
      if (by.refused) throw by.refused;
      request = make();
    } catch (error) {
      const isAsked = by.idempotencyKey !== undefined && error instanceof AppError;
      if (!isAsked || error.code === 'VALIDATION_FAILED') throw error;
      request = { ...caller(by, `bet.${game.slug}`, body), game, refused: error };
    }
    return settlement.settle(request);
  };
  /** The player's open round of a game. */
  const find = async <S extends object>(
    userId: number,
    game: GameRequest['game'],
  ): Promise<OpenRound<S> | undefined> => {
    const rows = await run<RoundRow>(db, readRoundsStatement([userId]));
    const row = rows.find((r) => r.gameId === game.id);
    return row && (openRound(row) as OpenRound<S>);
  };
  return {
    /** A bet in one step. */
    play<Answer extends object, Outcome extends object>({
      inputs,
      isAlone = false,
      play,
      answer,
      ...bet
    }: SingleBet<Answer, Outcome>): Promise<Answer> {
      return settle(bet, () => ({ ...fresh(bet), inputs, isAlone, play, answer }));
    },

    /** Begins a round, which stays open unless it ends at once. */
    start<Answer extends object, S extends object>({
      side,
      deck,
      begin,
      answer,
      ...bet
    }: Start<Answer, S>): Promise<Answer> {
      return settle(bet, () => ({
        ...fresh(bet, side),
        isForced: deck !== undefined,
        begin,
        answer,
      }));
    },

    /** Acts on the player's open round: throws 404 ROUND_NOT_FOUND when there is none. New money is asked of the gate. */
    act<Answer extends object, S extends object>({
      by,
      game,
      operation,
      body,
      act,
      answer,
    }: Action<Answer, S>): Promise<Answer> {
      return settlement.settle({
        ...caller(by, operation, body),
        game,
        act,
        answer,
      });
    },

    /** A bet in the round that all share. Its range is that of the round. */
    place<Answer extends object>({
      inputs,
      answer,
      ...bet
    }: Bet & Pick<PlacedRequest<Answer>, 'inputs' | 'answer'>): Promise<Answer> {
      return settle(bet, () => {
        const made = fresh(bet);
        return { ...made, inputs, isShared: true, minStake: minStakeOf(made.currency), answer };
      });
    },

    /** The same bet many times; throws 403 SERIES_CLOSED where that is not allowed. */
    async series<R>(by: Bettor, count: number, bet: (by: Bettor) => Promise<R>): Promise<Series<R>> {
      const country = await seriesClosedFor(by.userId, countryOf(by.ip));
      const refused = country === undefined ? undefined : bettingErrors.SERIES_CLOSED({ country });
      return playSeries({ ...by, refused }, count, bet);
    },

    find,

    /** The same; throws 404 ROUND_NOT_FOUND. */
    async get<S extends object>(userId: number, game: GameRequest['game']): Promise<OpenRound<S>> {
      const round = await find<S>(userId, game);
      if (!round) throw bettingErrors.ROUND_NOT_FOUND({ game: game.slug });
      return round;
    },
  };
}

/** What every answer to a single-step bet shows, its outcome included. */
export const resultOf = <Outcome extends object>(
  currencyId: string,
  { betId, createdAt, betUsd, payoutUsd, outcome }: PlayedBet<Outcome>,
) => ({
  currencyId,
  betAmount: formatUnits(betUsd),
  payout: formatUnits(payoutUsd),
  createdAt,
  betId,
  ...outcome,
});

/** More than any limit allows, whatever it is. */
const TOO_MUCH: Money = { usd: MAX_UNITS, units: 0n };

/** `most`: a lower limit than the game's. */
type StakeTerms = {
  currency: { id: string; decimals: number };
  minStake: Units;
  rate: Rate;
  game: Game;
  most?: Units;
};

/** Dollars and stake of a bet; too many decimals or nothing at all is a malformed amount, the limits are a refusal. */
function stakeIn(
  path: string,
  amount: string,
  { currency, minStake, rate, game, most = game.settings.maxBet }: StakeTerms,
): Money & { refusal: AppError | undefined } {
  const { id: currencyId, decimals } = currency;
  const { minBet } = game.settings;
  const range = { currencyId, rate, decimals, minStake, minBet, maxBet: most };
  const outOfRange = () => commonErrors.AMOUNT_OUT_OF_RANGE(shownRange(range));
  const digits = usdDecimals(decimals);
  if (isTooMuch(amount, digits)) return { ...TOO_MUCH, refusal: outOfRange() };
  const usd = parseUnits(amount, digits);
  if (usd === undefined || usd === 0n) {
    const message = `needs to be above zero with at most ${digits} decimals`;
    throw commonErrors.VALIDATION_FAILED({ fields: [{ path, message }] });
  }
  const units = stakeOf(usd, rate, decimals);
  return { usd, units, refusal: isInRange({ usd, units }, range) ? undefined : outOfRange() };
}
