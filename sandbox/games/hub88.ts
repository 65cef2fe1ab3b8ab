import { createSign, createVerify, randomBytes, randomUUID } from 'node:crypto';
import {
  type Endpoint,
  json,
  parseObject,
  type SandboxAnswer,
  type SandboxRequest,
  setting,
} from '../endpoint.ts';
import { parseNumbersAsText } from '../payments-dialect.ts';
import { fromUnits, toUnits } from './amounts.ts';
import type { Transaction } from './books.ts';
import { type Game, KINDS } from './catalogue.ts';
import {
  again,
  behaving,
  type Desk,
  imageOf,
  launch,
  listed,
  missing,
  type Operation,
  only,
  period,
  type Reply,
  type Speech,
  type Verdict,
} from './dialect.ts';
import { hub88FreeRounds } from './free-rounds/hub88.ts';
import { OPERATOR_PUBLIC_KEY, SUPPLIER_PRIVATE_KEY } from './keys.ts';

const BASE = '/games/hub88/operator/generic/v2';
const DIALECT = 'hub88';
const HOOKS = '/webhooks/games/sandbox-hub88';
/** Number of decimals of an amount. One unit of currency is sent as 100,000. */
const DECIMALS = 5;
const CURRENCIES = { USDT: DECIMALS, USD: DECIMALS, EUR: DECIMALS, BTC: DECIMALS, ETH: DECIMALS };
const NO_CURRENCY = 'XXX';
const MINUTE_MS = 60_000;
const VOLATILITY = { LOW: 1, MEDIUM: 3, HIGH: 5 } as const;

/** The operator's public key is a setting, so that a platform with its own key can be tested. */
const operatorKey = () => setting('SANDBOX_HUB88_OPERATOR_KEY', OPERATOR_PUBLIC_KEY);
const supplierKey = () => setting('SANDBOX_HUB88_SUPPLIER_KEY', SUPPLIER_PRIVATE_KEY);

/** Returns the base64 RSA PKCS#1 v1.5 signature of the text with SHA-256. */
export const signRsa = (body: string, key: string): string =>
  createSign('sha256').update(body).sign(key, 'base64');

/** The supplier's implementation of Hub88's protocol. */
export function hub88(desk: Desk): Speech {
  return {
    dialect: DIALECT,
    slug: 'sandbox-hub88',
    currencies: CURRENCIES,
    endpoints: endpointsOf(desk),
    newId: () => randomUUID(),
    newRoundId: () => randomBytes(12).toString('base64url'),
    message(operation, isForged) {
      const [path, fields] = callOf(operation);
      const body = JSON.stringify(fields);
      const signature = signRsa(isForged ? `${body} ` : body, supplierKey());
      const headers = { 'content-type': 'application/json', 'x-hub88-signature': signature };
      return { path: `${HOOKS}/${path}`, body, headers };
    },
    judge,
    takesBackWins: true,
    betTries: 3,
    endsByMessage: false,
    freeRounds: 'EACH',
  };
}

function callOf(operation: Operation): [string, object] {
  const { kind, session, roundId, closes } = operation;
  const player = session.player!;
  const about = {
    user: player.id,
    token: player.token,
    request_uuid: randomUUID(),
    game_code: session.gameCode,
  };
  if (kind === 'AUTHENTICATE') return ['user/info', about];
  if (kind === 'BALANCE') return ['user/balance', about];
  if (kind === 'END') throw missing(DIALECT, 'end of round: the last win closes the round');
  const transaction = only(operation, DIALECT);
  const { id, reference, type } = transaction;
  const ids = { transaction_uuid: id, supplier_transaction_id: `s-${id}` };
  const common = { ...about, user: transaction.playerId, ...ids, round: roundId, round_closed: closes };
  if (type === 'ROLLBACK')
    return ['transaction/rollback', { ...common, reference_transaction_uuid: reference }];
  const money = {
    ...common,
    supplier_user: `hub88_${transaction.playerId}`,
    amount: Number(toUnits(transaction.amount, DECIMALS)),
    currency: player.currency,
    is_free: transaction.isFree,
    is_supplier_promo: false,
    is_aggregated: false,
    reward_uuid: transaction.award,
    bet: null,
  };
  if (type === 'BET') return ['transaction/bet', money];
  if (type === 'WIN') return ['transaction/win', { ...money, reference_transaction_uuid: reference }];
  throw missing(DIALECT, type);
}

function judge({ status, body }: Reply, { kind, transactions }: Operation): Verdict {
  if (status !== 200) return again(`HTTP ${status}`);
  const answer = parseNumbersAsText(body) as Record<string, string>;
  const code = String(answer.status);
  const balance = /^\d+$/.test(answer.balance ?? '') ? fromUnits(BigInt(answer.balance!), DECIMALS) : null;
  const isRollback = kind === 'MONEY' && transactions[0]?.type === 'ROLLBACK';
  if (code === 'RS_OK') return { kind: 'done', code, balance };
  // Hub88 uses the same code for a closed round and for a platform error, so a rollback is repeated until it is accepted.
  const isUncertain = code === 'RS_ERROR_UNKNOWN' || isRollback;
  return { kind: isUncertain ? 'again' : 'refused', code, balance };
}

function endpointsOf(desk: Desk): Endpoint[] {
  let listedAt = 0;
  const signed =
    (handle: (input: Record<string, unknown>) => SandboxAnswer): Endpoint['handle'] =>
    (request) =>
      isSigned(request)
        ? handle(parseObject(request.body) ?? {})
        : problem(401, 'RS_ERROR_INVALID_SIGNATURE');
  return [
    {
      method: 'POST',
      path: `${BASE}/game/url`,
      about:
        'Hub88: returns the URL of a game. With currency XXX and neither user nor token, the game is a demo. Header X-Hub88-Signature.',
      example: '{ "operator_id": 1, "game_code": "seven-orchards", "currency": "XXX", "lobby_url": "…" }',
      handle: behaving(
        desk,
        'launch',
        signed((input) => open(desk, input)),
      ),
    },
    {
      method: 'POST',
      path: `${BASE}/game/list`,
      about: 'Hub88: lists all games. Header X-Hub88-Signature.',
      example: '{ "operator_id": 1 }',
      handle: behaving(
        desk,
        'other',
        signed(() => {
          const isEarly = Date.now() - listedAt < MINUTE_MS;
          if (isEarly && desk.behaviour.get().listOncePerMinute) return problem(429, 'too many requests');
          listedAt = Date.now();
          return json(
            200,
            listed(desk, DIALECT).map((game) => shownGame(desk, game)),
          );
        }),
      ),
    },
    {
      method: 'POST',
      path: `${BASE}/transactions/list`,
      about: 'Hub88: lists the transactions between start_time and end_time. Header X-Hub88-Signature.',
      example:
        '{ "operator_id": 1, "start_time": "2026-01-01T00:00:00Z", "end_time": "2027-01-01T00:00:00Z" }',
      handle: behaving(
        desk,
        'other',
        signed((input) => report(desk, input)),
      ),
    },
    ...hub88FreeRounds(desk, { base: BASE, currencies: CURRENCIES, decimals: DECIMALS, signed }),
  ];
}

function isSigned({ headers, body }: SandboxRequest): boolean {
  const signature = String(headers['x-hub88-signature'] ?? '');
  return createVerify('sha256').update(body).verify(operatorKey(), signature, 'base64');
}

function open(desk: Desk, input: Record<string, unknown>): SandboxAnswer {
  const {
    user,
    token,
    game_code: gameCode,
    currency,
    lang,
    lobby_url: lobbyUrl,
  } = input as Record<string, string>;
  const isDemo = currency === NO_CURRENCY;
  if (!gameCode || !lobbyUrl || !currency || (!isDemo && !(user && token)))
    return problem(400, 'RS_ERROR_WRONG_SYNTAX');
  const player = isDemo ? undefined : { id: user!, token: token!, currency };
  const about = { gameCode, player, language: lang ?? 'en', lobbyUrl };
  const opened = launch(desk, { dialect: DIALECT, currencies: CURRENCIES }, about);
  return typeof opened === 'string' ? problem(400, opened) : json(200, { url: opened.url });
}

const shownGame = (desk: Desk, game: Game) => ({
  game_code: game.code,
  name: game.name,
  product: 'Sandbox',
  category: KINDS[game.kind].hub88,
  enabled: true,
  url_thumb: imageOf(desk, game),
  url_background: null,
  platforms: ['GPL_DESKTOP', 'GPL_MOBILE'],
  blocked_countries: game.blockedCountries,
  freebet_support: game.hasFreeSpins,
  demo_game_support: game.hasDemo,
  rtp: game.rtp,
  volatility: game.volatility && VOLATILITY[game.volatility],
  release_date: '2026-01-01',
  max_win_multiplier: game.maxWin,
});

function report(desk: Desk, { start_time: from, end_time: to }: Record<string, unknown>): SandboxAnswer {
  const times = period(from, to);
  if (!times) return problem(400, 'RS_ERROR_WRONG_SYNTAX');
  const entry = (transaction: Transaction, isRoundClosed: boolean | null) => ({
    transaction_uuid: transaction.id,
    transaction_type: transaction.type,
    user: transaction.playerId,
    currency: transaction.currency,
    amount: Number(toUnits(transaction.amount, DECIMALS)),
    round: transaction.roundId,
    round_closed: isRoundClosed ?? false,
    game_code: transaction.gameCode,
    reference_transaction_uuid: transaction.reference,
    status: transaction.state,
    is_free: transaction.isFree,
    created_at: transaction.at,
  });
  const found = desk.books.report(DIALECT, times.from, times.to);
  return json(
    200,
    found.map(({ transaction, isRoundClosed }) => entry(transaction, isRoundClosed)),
  );
}

const problem = (status: number, error: string): SandboxAnswer => json(status, { error });
