import fc from 'fast-check';
import { anyText, type Rules, validOf } from '../http/arbitrary.ts';
import type { Schema } from '../http/openapi.ts';
import type { Dialect } from './game-providers.ts';
import { GAMBLER, OPEN_ROUND, SUPPLIER_GAME, supplierOf, tokenOf } from './supplier-calls.ts';

const often = (known: string) => fc.oneof({ weight: 3, arbitrary: fc.constant(known) }, name);
const name = anyText(1, 40).filter((text) => !text.includes('\0') && text.isWellFormed());
/** The ledger's maximum amount, in cents of a dollar. */
const MOST = 9_223_372_036_854;
const subunits = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 100_000 }) },
  fc.integer({ min: 0, max: MOST }),
);
const decimal = fc.integer({ min: 0, max: 1000 }).map((cents) => String(cents / 100));

/** Rules for well-formed supplier callbacks, including those that name an existing player, session and round. */
export function supplierRules({
  body,
  dialect,
  path,
}: {
  body: Schema;
  dialect: Dialect;
  path: string;
}): Rules {
  const amount = dialect === 'hub88' ? subunits : decimal;
  const fields = {
    player: often(GAMBLER),
    token: often(tokenOf(dialect)),
    game: often(SUPPLIER_GAME),
    round: often(OPEN_ROUND),
    currency: fc.constantFrom('USDT', 'USDT', 'USDT', 'BTC', 'NONE'),
  };
  const rules: Rules = {
    'path.provider': fc.constant(supplierOf(dialect)),
    ...named(['user', 'user_id', 'userId', 'playerId'], fields.player),
    ...named(['token', 'session_id', 'sessionToken'], fields.token),
    ...named(['game_code', 'game', 'gameId', 'gameCode'], fields.game),
    ...named(['round', 'game_id', 'roundId'], fields.round),
    ...named(['reference_transaction_uuid', 'referenceTransactionId'], fields.round),
    ...named(['amount', 'winAmount'], amount),
    ...named(['actions[].amount', 'total_amount'], subunits),
    'body.currency': fields.currency,
    // The request contains no promotional payout, which would need a reference.
    'body.promoWinAmount': fc.constantFrom('', '0'),
  };
  if (dialect === 'generic') return { ...rules, body: ownCalls(body, rules) };
  if (!/\/(play|rollback)$/.test(path)) return rules;
  return { ...rules, body: validOf(inGame(body), 'body', rules) };
}

const named = (names: string[], values: fc.Arbitrary<unknown>): Rules =>
  Object.fromEntries(names.map((one) => [`body.${one}`, values]));

/** In SOFTSWISS's protocol, calls that move money need a game and a round. */
function inGame({ properties = {}, required = [], ...body }: Schema): Schema {
  const { game, game_id, ...others } = properties;
  return {
    ...body,
    properties: {
      ...others,
      game: { ...game, nullable: false },
      game_id: { ...game_id, nullable: false },
    },
    required: [...new Set([...required, 'game', 'game_id'])],
  };
}

const MOVES = ['gameCode', 'roundId', 'transactionId', 'amount'];
const CREDITS = ['gameCode', 'transactionId', 'amount'];
/** The fields that each action requires in the platform's own protocol. */
const NEEDED: Readonly<Record<string, string[]>> = {
  AUTHENTICATE: ['sessionToken'],
  BALANCE: [],
  BET: ['sessionToken', ...MOVES],
  WIN: MOVES,
  BET_WIN: ['sessionToken', ...MOVES, 'winAmount'],
  ROLLBACK: [...MOVES, 'referenceTransactionId'],
  FREE_SPIN_WIN: CREDITS,
  JACKPOT: CREDITS,
};

const ownCalls = (body: Schema, rules: Rules) =>
  fc.oneof(
    ...Object.entries(NEEDED).map(([action, needed]) =>
      validOf(
        {
          ...body,
          properties: { ...body.properties, action: { type: 'string', enum: [action] } },
          required: [...(body.required ?? []), ...needed],
        },
        'body',
        rules,
      ),
    ),
  );
