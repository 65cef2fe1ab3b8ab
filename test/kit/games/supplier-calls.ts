/** Callbacks of game suppliers in each dialect: signatures, requests and the meaning of responses. */
import { randomBytes } from 'node:crypto';
import { SUPPLIER_PRIVATE_KEY } from '../../../sandbox/games/keys.ts';
import { hashToken } from '../../../src/platform/secrets/encryption.ts';
import type { Answer, TestApp } from '../app.ts';
import type { Operation } from '../http/openapi.ts';
import { newGame } from './catalogue.ts';
import { type Dialect, pragmaticForm, supplierHeaders } from './game-providers.ts';

/** A game that the sandbox offers in every dialect. */
export const SUPPLIER_GAME = 'seven-orchards';
/** User id of the sixth user that `startCaller` creates. */
export const GAMBLER = '6';
/** The ids of a round in which GAMBLER has a bet at every provider, and of the bet's transaction. */
export const OPEN_ROUND = 'the open round';

/** Error codes for malformed requests; the sportsbook has its own. */
export const MISREAD = ['VALIDATION_FAILED', 'error.request.invalid'];

const ACTION = /^\/webhooks\/games\/[^/]+(?:\/(.+))?$/;

/** Returns the dialect of a path, or undefined if it is not a supplier callback. */
export function dialectOf({ path }: Pick<Operation, 'path'>): Dialect | undefined {
  const found = ACTION.exec(path);
  if (!found) return undefined;
  const [, action = ''] = found;
  if (action === '') return 'generic';
  if (action.endsWith('.html')) return 'pragmatic';
  return /^(user|transaction)\//.test(action) ? 'hub88' : 'softswiss';
}

/** Returns true for calls by partners, in which unknown fields are ignored and counted, because partners add fields over time. */
export const takesMoreFields = (operation: Pick<Operation, 'path'>): boolean =>
  dialectOf(operation) !== undefined || isPartnerReport(operation);

/** Returns true for signed webhooks of payment, identity and skin partners, sportsbook transactions, and CRM consents. */
export const isPartnerReport = (operation: Pick<Operation, 'path'>): boolean =>
  /^\/webhooks\/(payments|kyc|skins)\//.test(operation.path) ||
  operation.path.startsWith('/marketing/userconsents/') ||
  isSportsbook(operation);

const isSportsbook = ({ path }: Pick<Operation, 'path'>): boolean =>
  path.startsWith('/sportsbook/external/wallet/') && path.endsWith('/transactions');

const REPORTS = [
  'transaction/win',
  'transaction/rollback',
  'rollback',
  'freespins',
  'result.html',
  'bonusWin.html',
  'jackpotWin.html',
  'promoWin.html',
  'endRound.html',
  'refund.html',
  'adjustment.html',
];
/** Returns true for callbacks that report something that has already happened. Unreadable ones are stored, and the response is a success. */
export const isReport = ({ path }: Pick<Operation, 'path'>): boolean =>
  dialectOf({ path }) !== undefined && REPORTS.some((action) => path.endsWith(`/${action}`));

/** Returns the sandbox's provider with this dialect. */
export const supplierOf = (dialect: Dialect): string =>
  dialect === 'generic' ? 'sandbox' : `sandbox-${dialect}`;
export const tokenOf = (dialect: Dialect): string => `session-at-${dialect}`;

/** Returns the headers with which the sandbox's supplier signs a callback. A form carries its signature in the body. */
export function supplierProof({ config }: Pick<TestApp, 'config'>, path: string, text: string) {
  const dialect = dialectOf({ path });
  if (!dialect) throw new Error(`${path} is no callback of a supplier`);
  const secret =
    dialect === 'hub88'
      ? SUPPLIER_PRIVATE_KEY
      : config.GAME_PROVIDERS.find((one) => one.slug === supplierOf(dialect))!.secrets[0]!;
  return supplierHeaders(dialect, text, { secret }) as Record<string, string>;
}

/** Returns a value as a form field. */
export const formValue = (value: unknown): string =>
  typeof value === 'string' ? value.toWellFormed() : value === null ? '' : JSON.stringify(value);

/** Returns a body as a signed Pragmatic Play form. */
export function formOf({ config }: Pick<TestApp, 'config'>, body: unknown): string {
  const fields = Object.entries((body ?? {}) as object).filter(([, value]) => value !== undefined);
  const secret = config.GAME_PROVIDERS.find(({ dialect }) => dialect === 'pragmatic')!.secrets[0]!;
  return pragmaticForm(Object.fromEntries(fields.map(([name, value]) => [name, formValue(value)])), secret);
}

/** Returns true for credits by the CRM. The CRM's contract defines a separate status for fields that later versions add. */
export const isCredit = ({ path }: Pick<Operation, 'path'>): boolean =>
  path.startsWith('/marketing/bonus/credit');

/** Returns true if the response reports a malformed body, with our own error code or with the supplier's. */
export function isMalformed(operation: Pick<Operation, 'path'>, answer: Answer): boolean {
  // An unreadable report is stored for staff and acknowledged.
  if ((isReport(operation) || isPartnerReport(operation)) && isDone(operation, answer)) return true;
  const { status, body } = answer;
  switch (dialectOf(operation)) {
    case 'hub88':
      return status === 200 && /^RS_ERROR_WRONG_(SYNTAX|TYPES)$/.test(body.status);
    case 'softswiss':
      return status === 400 && body.code === 400 && body.message === 'Bad request.';
    case 'pragmatic':
      return status === 200 && body.error === 7 && /^Bad parameters/.test(body.description);
    default:
      return (
        (status === 400 && MISREAD.includes(body?.code)) ||
        (isCredit(operation) && status === 501 && body?.code === 'NOT_SUPPORTED')
      );
  }
}

/** Returns true if the call was successful. */
export function isDone(operation: Pick<Operation, 'path'>, { status, body }: Answer): boolean {
  switch (dialectOf(operation)) {
    case undefined:
      return status < 300;
    case 'generic':
      return status === 200 && body.status === 'OK';
    case 'hub88':
      return status === 200 && body.status === 'RS_OK';
    case 'softswiss':
      return status === 200;
    case 'pragmatic':
      return status === 200 && body.error === 0;
  }
}

/** Returns true if the wallet did not respond in time. Suppliers repeat such calls. */
export function isToRepeat(operation: Pick<Operation, 'path'>, { status, body }: Answer): boolean {
  switch (dialectOf(operation)) {
    case 'generic':
      return body?.status === 'INTERNAL_ERROR';
    case 'softswiss':
      return status === 500 && body?.code === 500;
    case 'pragmatic':
      return body?.error === 100;
    default:
      return false;
  }
}

const anId = () => `t-${randomBytes(7).toString('hex')}`;
const hub88 = () => ({
  user: GAMBLER,
  token: tokenOf('hub88'),
  request_uuid: anId(),
  game_code: SUPPLIER_GAME,
});
const hub88Moves = () => ({
  ...hub88(),
  transaction_uuid: anId(),
  round: anId(),
  round_closed: false,
  supplier_transaction_id: anId(),
  is_free: false,
  is_supplier_promo: false,
  reward_uuid: anId(),
  amount: 1000,
  currency: 'USDT',
});
const softswiss = () => ({
  user_id: GAMBLER,
  currency: 'USDT',
  game: SUPPLIER_GAME,
  game_id: anId(),
  session_id: tokenOf('softswiss'),
  finished: false,
});
const pragmatic = () => ({
  userId: GAMBLER,
  providerId: 'p',
  gameId: SUPPLIER_GAME,
  roundId: anId(),
  token: tokenOf('pragmatic'),
});
const pragmaticMoves = () => ({ ...pragmatic(), reference: anId(), amount: '0.01', bonusCode: '' });
const at = (action: string) => `POST /webhooks/games/{provider}${action && `/${action}`}`;

/** Bodies of successful callbacks that contain every field. A new body is created for every request. */
export const SUPPLIER_BODIES: Readonly<Record<string, () => Record<string, unknown>>> = {
  [at('')]: () => ({
    action: 'BET',
    playerId: GAMBLER,
    currency: 'USDT',
    sessionToken: tokenOf('generic'),
    gameCode: SUPPLIER_GAME,
    roundId: anId(),
    transactionId: anId(),
    referenceTransactionId: anId(),
    amount: '0.01',
    winAmount: '0.01',
    roundClosed: false,
    timestamp: new Date().toISOString(),
  }),
  [at('user/info')]: hub88,
  [at('user/balance')]: hub88,
  [at('transaction/bet')]: hub88Moves,
  [at('transaction/win')]: () => ({
    ...hub88Moves(),
    round: OPEN_ROUND,
    reference_transaction_uuid: OPEN_ROUND,
  }),
  [at('transaction/rollback')]: () => {
    const { amount: _, currency: _code, ...undone } = hub88Moves();
    return { ...undone, reference_transaction_uuid: anId() };
  },
  [at('play')]: () => ({ ...softswiss(), actions: [{ action: 'bet', action_id: anId(), amount: 1 }] }),
  [at('rollback')]: () => ({
    ...softswiss(),
    actions: [{ action: 'rollback', action_id: anId(), original_action_id: anId() }],
  }),
  [at('freespins')]: () => ({ ...softswiss(), issue_id: anId(), status: 'played', total_amount: 1 }),
  [at('authenticate.html')]: pragmatic,
  [at('balance.html')]: pragmatic,
  [at('bet.html')]: pragmaticMoves,
  [at('result.html')]: () => ({
    ...pragmaticMoves(),
    roundId: OPEN_ROUND,
    promoWinAmount: '0.01',
    promoWinReference: anId(),
    promoCampaignID: 'c',
  }),
  [at('bonusWin.html')]: pragmaticMoves,
  [at('jackpotWin.html')]: pragmaticMoves,
  [at('promoWin.html')]: () => ({ ...pragmaticMoves(), campaignId: 'c' }),
  [at('endRound.html')]: pragmatic,
  [at('refund.html')]: () => ({ ...pragmatic(), reference: anId() }),
  [at('adjustment.html')]: pragmaticMoves,
};

/** Changes to SUPPLIER_BODIES for the bets that open OPEN_ROUND, by path suffix. */
export const OPENING_BETS: readonly (readonly [path: string, bet: object])[] = [
  ['', { roundId: OPEN_ROUND, transactionId: OPEN_ROUND }],
  ['/transaction/bet', { round: OPEN_ROUND, transaction_uuid: OPEN_ROUND }],
  ['/play', { game_id: OPEN_ROUND, actions: [{ action: 'bet', action_id: OPEN_ROUND, amount: 1 }] }],
  ['/bet.html', { roundId: OPEN_ROUND, reference: OPEN_ROUND }],
];

/** Gives every supplier of the sandbox the game, and GAMBLER a session for it. */
export async function openGames(app: TestApp): Promise<void> {
  const { id: sessionId } = await app.db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', Number(GAMBLER))
    .executeTakeFirstOrThrow();
  for (const dialect of ['generic', 'hub88', 'softswiss', 'pragmatic'] as const) {
    const { id: providerId } = await app.db
      .selectFrom('game_providers')
      .select('id')
      .where('slug', '=', supplierOf(dialect))
      .executeTakeFirstOrThrow();
    const game = {
      slug: `${supplierOf(dialect)}-game`,
      provider_id: providerId,
      external_code: SUPPLIER_GAME,
      facts: JSON.stringify({ hasDemo: true }),
    };
    const { id: gameId } = await newGame(app, game);
    await app.db
      .insertInto('provider_sessions')
      .values({
        token_hash: hashToken(tokenOf(dialect)),
        user_id: Number(GAMBLER),
        provider_id: providerId,
        game_id: gameId,
        currency_id: 'USDT',
        device: 'DESKTOP',
        session_id: sessionId,
        expires_at: new Date(Date.now() + 8 * 3_600_000),
      })
      .execute();
  }
}
