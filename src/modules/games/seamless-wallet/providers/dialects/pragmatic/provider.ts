import type { z } from 'zod';
import type { Clock } from '../../../../../../platform/clock.ts';
import { numeral } from '../../../../../../platform/exact-json.ts';
import { type Outbound, type OutboundRequest, Unanswered } from '../../../../../../platform/net/outbound.ts';
import type { Policy } from '../../../engine/call.ts';
import type { ReportedTransaction } from '../../../engine/rules.ts';
import type {
  FreeRounds,
  FreeRoundsOrder,
  GameProvider,
  LaunchRequest,
  SupplierGame,
} from '../../provider.ts';
import {
  ask,
  askToWithdraw,
  type Currencies,
  codeOf,
  connect,
  type DialectDeps,
  imagesOf,
  LIST_BYTES,
  percentOf,
  reported,
  volatilityOf,
} from '../client.ts';
import { decimalText, kindOf, providerUnitsOf, unitsOfText } from '../rules.ts';
import {
  ACTIONS,
  answerPragmatic,
  isSignedForm,
  type PragmaticContext,
  readPragmatic,
  signedForm,
} from './callback.ts';
import { type FeedRow, readFeed } from './rules.ts';
import { Answered, FreeRoundsOfPlayer, Games, Launched } from './schemas.ts';

const POLICY: Policy = {
  // The response to a repeated reference contains the current balance.
  repeatShows: 'now',
  // A refund after the end of the round is rejected with error 120 and becomes a finding (case 64).
  rollsBackEnded: false,
  // Only bets can be refunded.
  rollsBackWins: false,
  // A refund after a result is rejected as well (case 64).
  rollsBackWon: false,
  // A bet that arrives after its refund gets error 120, as does a bet in an ended round.
  tombstone: 'ROLLED_BACK',
  // A result contains the id of its round, but not the id of its bet.
  winsName: false,
};

/** A provider that uses Pragmatic Play's Seamless Wallet and Integration API. */
export function createPragmatic(deps: DialectDeps): GameProvider {
  const { settings, currencies, clock } = deps;
  const { api, books } = connect(deps);
  const { operatorId: secureLogin, secrets, endRound: hasEndRound } = settings;
  const [secret = ''] = secrets;
  const post = <S extends z.ZodType>(
    path: string,
    fields: Record<string, string | undefined>,
    schema: S,
  ): Promise<z.output<S>> => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = signedForm({ secureLogin, ...fields }, secret);
    return ask(api, { method: 'POST', path, headers, body, limitBytes: LIST_BYTES }, schema);
  };
  return {
    slug: settings.slug,
    dialect: 'pragmatic',
    currencies: settings.currencies,
    launchOrigins: settings.launchOrigins,
    policy: POLICY,
    actions: ACTIONS,
    verify: (raw) => isSignedForm(raw, secrets),
    read: (action, raw) => readPragmatic(action, raw, { currencies, hasEndRound }),
    answer: (action, answer, context) =>
      answerPragmatic(action, { answer, context: context as PragmaticContext | undefined, currencies }),

    async launch(request) {
      const { gameURL } = await post('/game/url/', launchFields(request, currencies), Launched);
      return { url: gameURL };
    },

    async list() {
      const { gameList } = await post('/getCasinoGames/', {}, Games);
      return gameList.map((game) => gameOf(game, currencies));
    },

    freeRounds: createFreeRounds({ api, secureLogin, secret, currencies, clock }),

    report: (from, to) => readReport({ books, login: secureLogin, password: secret, currencies }, from, to),
  };
}

function launchFields(request: LaunchRequest, currencies: Currencies) {
  const { gameCode, player, language, device, lobbyUrl } = request;
  const common = {
    symbol: gameCode,
    language,
    platform: device === 'MOBILE' ? 'MOBILE' : 'WEB',
    lobbyUrl,
  };
  if (!player) return { ...common, playMode: 'DEMO', currency: currencies.all[0]!.code };
  return {
    ...common,
    playMode: 'REAL',
    token: player.token,
    externalPlayerId: String(player.userId),
    currency: codeOf(currencies, player.currencyId),
    country: player.country ?? undefined,
  };
}

function gameOf(game: z.output<typeof Games>['gameList'][number], currencies: Currencies): SupplierGame {
  return {
    code: game.gameID,
    name: game.gameName,
    ...kindOf(game.typeDescription, game.gameTypeID),
    images: imagesOf(...(game.images ?? [])),
    currencies: currencies.oursOf(game.currencies),
    blockedCountries: game.blockedCountries ?? [],
    description: null,
    rtp: percentOf(game.rtp),
    volatility: volatilityOf(game.volatility),
    maxWinMultiplier: game.maxWin ?? null,
    hasDemo: game.demoGameAvailable === true,
    hasFreeSpins: game.frbAvailable === true,
  };
}

const API = '/FreeRoundsBonusAPI';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

type Parts = { api: Outbound; secureLogin: string; secret: string; currencies: Currencies; clock: Clock };
type Fields = Record<string, string>;

/**
 * Free rounds through Pragmatic Play's Free Rounds Bonus API. Each order creates a bonus with our own bonusCode, which the provider sends
 * in its calls.
 */
function createFreeRounds({ api, secureLogin, secret, currencies, clock }: Parts): FreeRounds {
  const signed = (fields: Fields) => signedForm({ secureLogin, ...fields }, secret);
  const form = (path: string, fields: Fields): OutboundRequest => ({
    method: 'POST',
    path: `${API}${path}`,
    headers: FORM,
    body: signed(fields),
  });

  /** Looks for an earlier order first, because Pragmatic Play rejects a repeated code. */
  async function isThere({ id, userId }: FreeRoundsOrder): Promise<boolean> {
    const wanted = form('/getPlayersFRB/', { playerId: String(userId) });
    const { bonuses } = await ask(api, wanted, FreeRoundsOfPlayer);
    return bonuses.some(({ bonusCode }) => bonusCode === id);
  }

  async function create({ id, userId, currencyId, gameCode, ...order }: FreeRoundsOrder): Promise<void> {
    const currency = codeOf(currencies, currencyId);
    const scale = currencies.byOurs(currencyId)!;
    const query = signed({
      bonusCode: id,
      playerId: String(userId),
      currency,
      rounds: String(order.rounds),
      startDate: seconds(new Date(clock.now())),
      expirationDate: seconds(order.validUntil),
    });
    const totalBet = numeral(decimalText(providerUnitsOf(order.bet, scale), scale.decimals));
    const gameList = [{ gameId: gameCode, betValues: [{ totalBet, currency }] }];
    const request = {
      method: 'POST',
      path: `${API}/v2/bonus/player/create/?${query}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ gameList }),
    } as const;
    await ask(api, request, Answered);
  }

  return {
    endBy: 'SUM',
    async give(order) {
      if (!(await isThere(order))) await create(order);
      return order.id;
    },
    withdraw: ({ id }) => askToWithdraw(api, form('/v2/bonus/cancel/', { bonusCode: id })),
  };
}

const seconds = (at: Date): string => String(Math.floor(at.getTime() / 1000));

const TYPES = new Map(
  Object.entries({
    B: 'BET',
    W: 'WIN',
    R: 'ROLLBACK',
    F: 'FREE_SPIN_WIN',
    P: 'PROMO_WIN',
    J: 'JACKPOT',
    A: 'ADJUSTMENT',
  }),
);
/** Maximum number of requests for one report. If more are needed, the feed is treated as stuck. */
const MOST_PAGES = 200;

type Source = { books: Outbound; login: string; password: string; currencies: Currencies };

/**
 * Returns the transactions of a period. Reads the report page by page; each page contains the start time of the next one. Throws Unanswered
 * and NotSent.
 */
async function readReport(source: Source, from: Date, to: Date): Promise<ReportedTransaction[]> {
  const found = new Map<string, ReportedTransaction>();
  let timepoint = from.getTime();
  for (let page = 0; timepoint < to.getTime(); page++) {
    if (page === MOST_PAGES) throw new Unanswered('has a data feed that does not end');
    const feed = await readPage(source, timepoint);
    for (const row of feed.rows) {
      const one = transactionOf(row, source.currencies);
      if (one.at >= from && one.at < to) found.set(`${one.type} ${one.transactionId}`, one);
    }
    if (feed.rows.length === 0 || feed.timepoint <= timepoint) break;
    timepoint = feed.timepoint;
  }
  return [...found.values()];
}

async function readPage({ books, login, password }: Source, timepoint: number) {
  const query = new URLSearchParams({ login, password, timepoint: String(timepoint) });
  const path = `/DataFeeds/transactions/?${query}`;
  const answer = await books.ask({
    method: 'GET',
    path,
    headers: { accept: 'text/csv' },
    limitBytes: LIST_BYTES,
  });
  const feed = answer.status === 200 ? readFeed(answer.text) : undefined;
  if (!feed) throw new Unanswered(`answered ${answer.status} without a data feed`);
  return feed;
}

function transactionOf(row: FeedRow, currencies: Currencies): ReportedTransaction {
  const { referenceID: id = '', type = '', currency: code = '', timestamp = '', roundStatus } = row;
  const currency = currencies.byCode(code);
  const amount = unitsOfText(row.amount ?? '', { factor: currency?.factor ?? '1', decimals: 2 });
  const at = /^\d{1,15}$/.test(timestamp) ? new Date(Number(timestamp)) : undefined;
  if (!at || !id) throw new Unanswered('reports a transaction without its time or reference');
  const isRefund = type === 'R';
  return {
    // Returns the id under which the wallet stores the transaction. A refund has the same reference as its bet, so its id gets a prefix.
    transactionId: isRefund && !id.startsWith('refund:') ? `refund:${row.originalReferenceID || id}` : id,
    type: TYPES.get(type) ?? type,
    playerId: row.extPlayerID ?? '',
    currencyId: currency?.ours ?? code,
    amount: reported(amount, id),
    round: row.roundID || null,
    gameCode: row.gameID || null,
    at,
    state: row.status === 'UNDONE' ? 'UNDONE' : 'DONE',
    isRoundClosed: roundStatus ? roundStatus === 'CLOSED' : null,
    reference: row.originalReferenceID || null,
    // The feed does not distinguish bets of free rounds from other bets.
    isFree: null,
  };
}
