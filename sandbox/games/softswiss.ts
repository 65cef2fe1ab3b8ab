import { createHmac, randomInt, randomUUID } from 'node:crypto';
import {
  type Endpoint,
  json,
  parseObject,
  type SandboxAnswer,
  type SandboxRequest,
  secretOf,
} from '../endpoint.ts';
import { parseNumbersAsText } from '../payments-dialect.ts';
import { fromUnits, toUnits } from './amounts.ts';
import type { Transaction } from './books.ts';
import { type Game, KINDS } from './catalogue.ts';
import {
  again,
  behaving,
  type Desk,
  type LaunchProblem,
  launch,
  listed,
  missing,
  type Operation,
  period,
  type Reply,
  type Speech,
  type Verdict,
} from './dialect.ts';
import { softswissFreeRounds } from './free-rounds/softswiss.ts';

const BASE = '/games/softswiss';
const DIALECT = 'softswiss';
const HOOKS = '/webhooks/games/sandbox-softswiss';
/** Number of decimals of each currency's subunit. */
const CURRENCIES: Readonly<Record<string, number>> = { USDT: 2, USD: 2, EUR: 2, BTC: 8, ETH: 8 };
const PROBLEMS: Readonly<Record<LaunchProblem, [number, string]>> = {
  GAME_NOT_FOUND: [405, 'Game is not available to your casino'],
  DEMO_NOT_AVAILABLE: [107, 'Game is forbidden to the player'],
  CURRENCY_NOT_SUPPORTED: [154, 'Currency is not allowed'],
};

const token = () => secretOf('SANDBOX_SOFTSWISS_TOKEN', 'sandbox-softswiss-token');

/** Returns the hex HMAC-SHA256 of the text. */
export const signSoftswiss = (text: string, secret: string): string =>
  createHmac('sha256', secret).update(text).digest('hex');

/** The provider's implementation of SOFTSWISS's game client protocol. */
export function softswiss(desk: Desk): Speech {
  return {
    dialect: DIALECT,
    slug: 'sandbox-softswiss',
    currencies: CURRENCIES,
    endpoints: endpointsOf(desk),
    newId: () => randomUUID(),
    newRoundId: () => `${Date.now()}${randomInt(1e6)}`,
    message(operation, isForged) {
      const [path, fields] = callOf(operation);
      const body = JSON.stringify(fields);
      const signature = signSoftswiss(body, isForged ? 'another-token' : token());
      const headers = { 'content-type': 'application/json', 'x-request-sign': signature };
      return { path: `${HOOKS}/${path}`, body, headers };
    },
    judge,
    together: 'LIST',
    takesBackWins: true,
    betTries: 1,
    endsByMessage: false,
    freeRounds: 'SUM',
  };
}

function callOf({ kind, session, roundId, transactions, closes }: Operation): [string, object] {
  const { player, gameCode } = session;
  const about = {
    user_id: transactions[0]?.playerId ?? player!.id,
    currency: player!.currency,
    game: gameCode,
    session_id: player!.token,
  };
  const amountOf = ({ amount }: Transaction) => Number(toUnits(amount, CURRENCIES[player!.currency]!));
  if (kind === 'AUTHENTICATE' || kind === 'BALANCE') return ['play', about];
  if (kind === 'END') return ['play', { ...about, game_id: roundId, finished: true, actions: [] }];
  const types = new Set(transactions.map(({ type }) => type));
  const play = { ...about, game_id: roundId };
  if (types.size === 1 && types.has('ROLLBACK')) {
    const actions = transactions.map(({ id, reference }) => ({
      action: 'rollback',
      action_id: id,
      original_action_id: reference,
    }));
    return ['rollback', { ...play, finished: closes, actions }];
  }
  if (transactions.length === 1 && types.has('FREE_SPIN_WIN')) {
    const [{ id }] = transactions as [Transaction];
    return [
      'freespins',
      { ...about, issue_id: id, status: 'played', total_amount: amountOf(transactions[0]!) },
    ];
  }
  const actions = transactions.map((one) => {
    if (one.isFree || !['BET', 'WIN'].includes(one.type))
      throw missing(DIALECT, one.isFree ? 'free bet' : one.type);
    return { action: one.type.toLowerCase(), action_id: one.id, amount: amountOf(one) };
  });
  return ['play', { ...play, finished: closes, actions }];
}

function judge({ status, body }: Reply, { session, transactions }: Operation): Verdict {
  const answer = parseNumbersAsText(body) as Record<string, string>;
  const digits = answer.balance ?? '';
  const balance = /^\d+$/.test(digits)
    ? fromUnits(BigInt(digits), CURRENCIES[session.player!.currency]!)
    : null;
  if (status === 200) return { kind: 'done', code: '200', balance };
  // A rollback is repeated until it is accepted.
  if (status === 429 || status >= 500 || transactions[0]?.type === 'ROLLBACK') return again(`HTTP ${status}`);
  return { kind: 'refused', code: String(answer.code ?? status), balance };
}

function endpointsOf(desk: Desk): Endpoint[] {
  const signed =
    (handle: (request: SandboxRequest) => SandboxAnswer): Endpoint['handle'] =>
    (request) => {
      const { url, headers, body } = request;
      const isSigned = headers['x-request-sign'] === signSoftswiss(body || url, token());
      return isSigned ? handle(request) : json(403, { code: 403, message: 'Forbidden' });
    };
  return [
    {
      method: 'POST',
      path: `${BASE}/sessions`,
      about:
        'SOFTSWISS: opens a game. Callbacks contain the session_id of this request. Header X-REQUEST-SIGN.',
      example:
        '{ "casino_id": "sandbox", "game": "seven-orchards", "currency": "EUR", "locale": "en", "ip": "127.0.0.1", "client_type": "desktop", "urls": { "return_url": "…" }, "user": { "id": "42" }, "session_id": "…" }',
      handle: behaving(
        desk,
        'launch',
        signed(({ body }) => open(desk, parseObject(body), false)),
      ),
    },
    {
      method: 'POST',
      path: `${BASE}/demo`,
      about: 'SOFTSWISS: opens a demo. Header X-REQUEST-SIGN.',
      example:
        '{ "casino_id": "sandbox", "game": "seven-orchards", "locale": "en", "urls": { "return_url": "…" } }',
      handle: behaving(
        desk,
        'launch',
        signed(({ body }) => open(desk, parseObject(body), true)),
      ),
    },
    {
      method: 'GET',
      path: `${BASE}/games`,
      about: 'SOFTSWISS: lists all games. Header X-REQUEST-SIGN, over path and query.',
      handle: behaving(
        desk,
        'other',
        signed(() => json(200, { games: listed(desk, DIALECT).map((game) => shownGame(game)) })),
      ),
    },
    {
      method: 'GET',
      path: `${BASE}/transactions`,
      about:
        'SOFTSWISS: lists the transactions between from and to. Header X-REQUEST-SIGN, over path and query.',
      handle: behaving(
        desk,
        'other',
        signed(({ query }) => report(desk, query)),
      ),
    },
    ...softswissFreeRounds(desk, { base: BASE, currencies: CURRENCIES, signed }),
  ];
}

function open(desk: Desk, input: Record<string, unknown> | undefined, isDemo: boolean): SandboxAnswer {
  const { game, currency, locale, session_id: session } = (input ?? {}) as Record<string, string>;
  const [urls, user] = [input?.urls, input?.user] as (Record<string, string> | undefined)[];
  if (!game || !urls?.return_url || (!isDemo && !(currency && session && user?.id)))
    return json(400, { code: 400, message: 'Bad request' });
  const player = isDemo ? undefined : { id: String(user!.id), token: session!, currency: currency! };
  const about = { gameCode: game, player, language: locale ?? 'en', lobbyUrl: urls.return_url };
  const opened = launch(desk, { dialect: DIALECT, currencies: CURRENCIES }, about);
  if (typeof opened === 'string') {
    const [code, message] = PROBLEMS[opened];
    return json(412, { code, message });
  }
  const options = { launch_options: { game_url: opened.url, strategy: 'iframe' } };
  return json(200, isDemo ? options : { session_id: session, ...options });
}

const shownGame = (game: Game) => ({
  identifier: game.code,
  title: game.name,
  provider: 'sandbox',
  category: KINDS[game.kind].softswiss,
  payout: game.rtp,
  volatility_rating: game.volatility?.toLowerCase() ?? null,
  multiplier: game.maxWin,
  has_freespins: game.hasFreeSpins,
  has_demo: game.hasDemo,
  currencies: game.currencies,
  restricted_countries: game.blockedCountries,
  images: [],
  description: game.description,
});

function report(desk: Desk, query: URLSearchParams): SandboxAnswer {
  const times = period(query.get('from'), query.get('to'));
  if (!times) return json(400, { code: 400, message: 'Bad request' });
  const entry = (transaction: Transaction, isRoundClosed: boolean | null) => ({
    action_id: transaction.id,
    action: transaction.type === 'FREE_SPIN_WIN' ? 'freespins' : transaction.type.toLowerCase(),
    user_id: transaction.playerId,
    currency: transaction.currency,
    amount: Number(toUnits(transaction.amount, CURRENCIES[transaction.currency]!)),
    game: transaction.gameCode,
    game_id: transaction.roundId,
    finished: isRoundClosed ?? false,
    original_action_id: transaction.reference,
    rolled_back: transaction.state === 'UNDONE',
    processed_at: transaction.at,
  });
  const transactions = desk.books
    .report(DIALECT, times.from, times.to)
    .map(({ transaction, isRoundClosed }) => entry(transaction, isRoundClosed));
  return json(200, { transactions });
}
