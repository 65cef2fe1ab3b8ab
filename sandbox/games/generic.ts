/**
 * The provider's implementation of our own protocol: signed JSON in both directions.
 *
 * The header is `x-signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.<signed text>">`. The signed text is the raw body, or for a GET
 * the path and query as sent. Errors are `{ error, message }`: 401 SIGNATURE_INVALID, 400 INVALID_REQUEST, 404 GAME_NOT_FOUND, 409
 * DEMO_NOT_AVAILABLE or CURRENCY_NOT_SUPPORTED.
 *
 * - `POST /launch` `{ gameCode, demo: false, playerId, sessionToken, currency, country, username, language, device, ip, lobbyUrl }` returns
 *   the game's URL as `url`. A demo omits the player's fields and sends `demo: true`.
 * - `GET /games` → `{ total, games: [{ code, name, type, categories, images, currencies, blockedCountries, description, rtp, volatility,
 *   maxWinMultiplier, hasDemo, hasFreeSpins }] }`, all in one response.
 * - `GET /transactions?from&to` (ISO 8601; from inclusive, to exclusive) → `{ transactions: [{ transactionId, type, playerId, currency,
 *   amount, roundId, gameCode, at, state: DONE | UNDONE, roundClosed, referenceTransactionId }] }`. A BET_WIN is listed as two entries:
 *   a BET with its id, and a WIN with the id `<id>:win`.
 *
 * Its wallet calls are `POST {platform}/webhooks/games/{slug}` with a GameWalletRequest.
 */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { isFresh } from '../clock.ts';
import {
  type Endpoint,
  json,
  parseObject,
  type SandboxAnswer,
  type SandboxRequest,
  secretOf,
  signatureOf,
} from '../endpoint.ts';
import { formatAmount } from '../payments-amounts.ts';
import { readAmount } from './amounts.ts';
import type { Transaction } from './books.ts';
import { type Game, KINDS } from './catalogue.ts';
import {
  again,
  behaving,
  type Desk,
  launch,
  listed,
  type Operation,
  period,
  type Reply,
  refusedAs,
  type Speech,
  type Verdict,
} from './dialect.ts';

const BASE = '/games/generic';
const DIALECT = 'generic';
const CURRENCIES = { USDT: 8, USD: 8, EUR: 8, BTC: 8, ETH: 8 };
const TOLERANCE_S = 300;
const JSON_TYPE = { 'content-type': 'application/json' };

const secret = () => secretOf('SANDBOX_GAMES_SECRET', 'sandbox-games-secret');

export function generic(desk: Desk): Speech {
  return {
    dialect: DIALECT,
    slug: 'sandbox',
    currencies: CURRENCIES,
    endpoints: endpointsOf(desk),
    newId: () => `t-${randomUUID()}`,
    newRoundId: () => `r-${randomUUID()}`,
    message(operation, isForged) {
      const body = JSON.stringify(requestOf(operation));
      const signature = signatureOf(body, isForged ? 'another-secret' : secret());
      return { path: '/webhooks/games/sandbox', body, headers: { ...JSON_TYPE, 'x-signature': signature } };
    },
    judge,
    together: 'BET_WIN',
    betTries: 3,
    endsByMessage: false,
  };
}

function requestOf({ kind, session, roundId, transactions, closes }: Operation): object {
  const { player, gameCode } = session;
  const about = {
    playerId: player!.id,
    currency: player!.currency,
    sessionToken: player!.token,
    timestamp: new Date().toISOString(),
  };
  if (kind === 'END') throw new Error('generic has no end of round: the last win closes the round');
  if (kind !== 'MONEY') return { action: kind, ...about, gameCode };
  const [first, second] = transactions;
  const isBoth = transactions.length === 2 && first!.type === 'BET' && second!.type === 'WIN';
  if (transactions.length !== 1 && !isBoth)
    throw new Error('generic accepts one transaction at a time, or a bet and its win');
  return {
    action: isBoth ? 'BET_WIN' : actionOf(first!),
    ...about,
    playerId: first!.playerId,
    gameCode,
    roundId,
    transactionId: first!.id,
    ...(first!.reference && { referenceTransactionId: first!.reference }),
    amount: formatAmount(first!.amount),
    ...(isBoth && { winAmount: formatAmount(second!.amount) }),
    ...(closes && { roundClosed: true }),
  };
}

function actionOf({ type, isFree }: Transaction): string {
  if (isFree || type === 'PROMO_WIN' || type === 'ADJUSTMENT')
    throw new Error(`generic has no ${isFree ? 'free bet' : type}`);
  return type;
}

function judge({ status, body }: Reply): Verdict {
  if (status === 429 || status >= 500) return again(`HTTP ${status}`);
  const answer = parseObject(body) ?? {};
  if (status !== 200) return refusedAs(String(answer.code ?? `HTTP ${status}`));
  const code = String(answer.status);
  const balance = answer.balance === null ? null : readAmount(answer.balance);
  const kind = code === 'OK' ? 'done' : code === 'INTERNAL_ERROR' ? 'again' : 'refused';
  return { kind, code, balance };
}

function endpointsOf(desk: Desk): Endpoint[] {
  const signed =
    (handle: (request: SandboxRequest) => SandboxAnswer): Endpoint['handle'] =>
    (request) =>
      isSigned(request) ? handle(request) : problem(401, 'SIGNATURE_INVALID');
  return [
    {
      method: 'POST',
      path: `${BASE}/launch`,
      about: 'Own protocol: opens a game and returns its URL for the browser. Header x-signature.',
      example:
        '{ "gameCode": "seven-orchards", "demo": true, "language": "en", "device": "DESKTOP", "ip": "127.0.0.1", "lobbyUrl": "http://127.0.0.1:3900/site/" }',
      handle: behaving(
        desk,
        'launch',
        signed(({ body }) => open(desk, parseObject(body))),
      ),
    },
    {
      method: 'GET',
      path: `${BASE}/games`,
      about: 'Own protocol: lists all games. Header x-signature, over the path.',
      handle: behaving(
        desk,
        'other',
        signed(() => {
          const games = listed(desk, DIALECT).map((game) => shownGame(game));
          return json(200, { total: games.length, games });
        }),
      ),
    },
    {
      method: 'GET',
      path: `${BASE}/transactions`,
      about:
        'Own protocol: lists the transactions between from and to. Header x-signature, over path and query.',
      handle: behaving(
        desk,
        'other',
        signed(({ query }) => report(desk, query)),
      ),
    },
  ];
}

function isSigned({ url, headers, body }: SandboxRequest): boolean {
  const [, seconds, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-signature'])) ?? [];
  if (!seconds || !mac || !isFresh(Number(seconds), TOLERANCE_S)) return false;
  const signed = createHmac('sha256', secret())
    .update(`${seconds}.${body || url}`)
    .digest();
  return timingSafeEqual(signed, Buffer.from(mac, 'hex'));
}

function open(desk: Desk, input: Record<string, unknown> | undefined): SandboxAnswer {
  const { gameCode, demo, playerId, sessionToken, currency, language, lobbyUrl } = (input ?? {}) as Record<
    string,
    string
  >;
  if (!gameCode || !lobbyUrl || (!demo && !(playerId && sessionToken && currency)))
    return problem(400, 'INVALID_REQUEST');
  const player = demo ? undefined : { id: playerId!, token: sessionToken!, currency: currency! };
  const opened = launch(
    desk,
    { dialect: DIALECT, currencies: CURRENCIES },
    {
      gameCode,
      player,
      language: language ?? 'en',
      lobbyUrl,
    },
  );
  if (typeof opened === 'string') return problem(opened === 'GAME_NOT_FOUND' ? 404 : 409, opened);
  return json(200, { url: opened.url });
}

const shownGame = (game: Game) => ({
  code: game.code,
  name: game.name,
  type: KINDS[game.kind].type,
  categories: game.kind === 'SLOTS' ? ['SLOTS'] : [game.kind, 'CASUAL'],
  images: [],
  currencies: game.currencies,
  blockedCountries: game.blockedCountries,
  description: game.description,
  rtp: game.rtp,
  volatility: game.volatility,
  maxWinMultiplier: game.maxWin,
  hasDemo: game.hasDemo,
  hasFreeSpins: game.hasFreeSpins,
});

function report(desk: Desk, query: URLSearchParams): SandboxAnswer {
  const times = period(query.get('from'), query.get('to'));
  if (!times) return problem(400, 'INVALID_REQUEST');
  const transactions = desk.books
    .report(DIALECT, times.from, times.to)
    .map(({ transaction, isRoundClosed }) => ({
      transactionId: transaction.id,
      type: transaction.type,
      playerId: transaction.playerId,
      currency: transaction.currency,
      amount: formatAmount(transaction.amount),
      roundId: transaction.roundId,
      gameCode: transaction.gameCode,
      at: transaction.at,
      state: transaction.state,
      roundClosed: isRoundClosed,
      referenceTransactionId: transaction.reference,
    }));
  return json(200, { transactions });
}

const problem = (status: number, error: string): SandboxAnswer =>
  json(status, { error, message: error.toLowerCase().replaceAll('_', ' ') });
