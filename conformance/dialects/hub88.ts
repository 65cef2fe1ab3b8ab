import {
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  randomUUID,
  sign,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fieldsOf, fromUnits, toUnits } from '../amounts.ts';
import type { Call, Dialect, Message, Move, Signing } from '../dialect.ts';

/** Number of decimals of an amount: one unit of currency is sent as 100,000. */
const PLACES = 5;
const VECTORS = new URL('../../test/kit/games/providers-vectors.json', import.meta.url);
const PATHS: Partial<Record<Move['type'], string>> = {
  bet: '/transaction/bet',
  win: '/transaction/win',
  rollback: '/transaction/rollback',
};

/** Hub88's wallet API: JSON signed with the supplier's RSA key, amounts as integers in units of 10^-5, always HTTP 200. */
export const hub88: Dialect = {
  name: 'hub88',
  letter: 'H',
  slug: 'sandbox-hub88',
  secret: (JSON.parse(readFileSync(VECTORS, 'utf8')) as { hub88: { privateKey: string } }).hub88.privateKey,
  base: (slug) => `/webhooks/games/${slug}`,
  newId: () => randomUUID(),
  newRound: () => randomBytes(12).toString('base64url'),
  calls: (message, signing) => [signed(message, signing)],
  read({ status, body }) {
    const fields = fieldsOf(body);
    const code = String(fields.status ?? fields.code ?? '');
    return {
      code: `${status} ${code}`,
      ...(typeof fields.balance === 'string' ? { balance: fromUnits(BigInt(fields.balance), PLACES) } : {}),
      ids: [],
    };
  },
  codes: {
    OK: '200 RS_OK',
    INVALID: '200 RS_ERROR_WRONG_SYNTAX',
    WRONG_CURRENCY: '200 RS_ERROR_WRONG_CURRENCY',
    TOKEN: '200 RS_ERROR_INVALID_TOKEN',
    TOKEN_ENDED: '200 RS_ERROR_TOKEN_EXPIRED',
    NO_PLAYER: '200 RS_ERROR_UNKNOWN',
    BLOCKED: '200 RS_ERROR_USER_DISABLED',
    EXCLUDED: '200 RS_ERROR_USER_DISABLED',
    LIMIT: '200 RS_ERROR_LIMIT_REACHED',
    GAME: '200 RS_ERROR_INVALID_GAME',
    FUNDS: '200 RS_ERROR_NOT_ENOUGH_MONEY',
    CLOSED: '200 RS_ERROR_UNKNOWN',
    NOT_FOUND: '200 RS_ERROR_TRANSACTION_DOES_NOT_EXIST',
    CONFLICT: '200 RS_ERROR_DUPLICATE_TRANSACTION',
    ROLLED_BACK: '200 RS_ERROR_TRANSACTION_ROLLED_BACK',
    SIGNATURE: '200 RS_ERROR_INVALID_SIGNATURE',
    NO_PROVIDER: '404 PROVIDER_NOT_FOUND',
    RETRY: '200 RS_ERROR_UNKNOWN',
  },
};

function fieldsFor({ seat, round, moves, closes }: Message): object {
  const who = {
    user: seat.playerId,
    ...(seat.token ? { token: seat.token } : {}),
    request_uuid: randomUUID(),
    game_code: seat.gameCode,
  };
  const [move] = moves;
  if (!move) return who;
  return {
    ...who,
    transaction_uuid: move.id,
    supplier_transaction_id: `s-${move.id}`,
    supplier_user: `hub88_${seat.playerId}`,
    round,
    round_closed: closes,
    ...(move.reference === undefined ? {} : { reference_transaction_uuid: move.reference }),
    ...(move.type === 'rollback'
      ? {}
      : {
          amount: amountOf(move),
          currency: seat.currency,
          is_free: move.isFree === true,
          is_supplier_promo: false,
          is_aggregated: false,
          reward_uuid: null,
          bet: null,
        }),
  };
}

const amountOf = ({ amount }: Move): number =>
  amount === 'too fine' ? 100_000.5 : Number(toUnits(amount, PLACES));

const keys = new Map<string, KeyObject>();

/** Signs any body. Each key is parsed only once. */
export function signHub88(body: string, pem: string): string {
  const key = keys.get(pem) ?? createPrivateKey(pem);
  keys.set(pem, key);
  return sign('sha256', Buffer.from(body), key).toString('base64');
}

let strangersKey: string | undefined;
const aStrangersKey = () =>
  (strangersKey ??= generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString());

function signed(message: Message, { secret, fault }: Signing): Call {
  const body = JSON.stringify(fieldsFor(message));
  const [move] = message.moves;
  return {
    path: move ? PATHS[move.type]! : '/user/balance',
    body: fault === 'space' ? `${body} ` : body,
    headers: {
      'content-type': 'application/json',
      'x-hub88-signature': signHub88(body, fault === 'secret' ? aStrangersKey() : secret),
    },
  };
}
