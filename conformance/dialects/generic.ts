import { createHmac, randomUUID } from 'node:crypto';
import { fieldsOf, fromUnits, toUnits } from '../amounts.ts';
import type { Call, Dialect, Message, Move, Signing } from '../dialect.ts';

const ACTIONS: Partial<Record<Move['type'], string>> = {
  bet: 'BET',
  win: 'WIN',
  rollback: 'ROLLBACK',
  freeSpins: 'FREE_SPIN_WIN',
  jackpot: 'JACKPOT',
};
const TOLERANCE_S = 300;

/** The platform's own protocol: signed JSON, one action per call, decimal amounts. */
export const generic: Dialect = {
  name: 'generic',
  letter: 'G',
  slug: 'sandbox',
  secret: 'sandbox-games-secret',
  base: (slug) => `/webhooks/games/${slug}`,
  newId: () => randomUUID(),
  newRound: () => randomUUID(),
  calls: (message, signing) => [signed(fieldsFor(message), signing)],
  read({ status, body }) {
    const { status: said, code, balance, transactionId, alreadyProcessed } = fieldsOf(body);
    return {
      code: `${status} ${String(said ?? code ?? '')}`,
      ...(typeof balance === 'string' ? { balance: fromUnits(toUnits(balance)) } : {}),
      ids: typeof transactionId === 'string' ? [transactionId] : [],
      ...(typeof alreadyProcessed === 'boolean' ? { isRepeated: alreadyProcessed } : {}),
    };
  },
  codes: {
    OK: '200 OK',
    INVALID: '200 INVALID_REQUEST',
    WRONG_CURRENCY: '200 INVALID_REQUEST',
    TOKEN: '200 INVALID_TOKEN',
    TOKEN_ENDED: '200 INVALID_TOKEN',
    NO_PLAYER: '200 PLAYER_NOT_FOUND',
    BLOCKED: '200 PLAYER_BLOCKED',
    EXCLUDED: '200 PLAYER_BLOCKED',
    LIMIT: '200 LIMIT_EXCEEDED',
    GAME: '200 GAME_UNAVAILABLE',
    FUNDS: '200 INSUFFICIENT_FUNDS',
    CLOSED: '200 ROUND_CLOSED',
    NOT_FOUND: '200 TRANSACTION_NOT_FOUND',
    CONFLICT: '200 TRANSACTION_CONFLICT',
    ROLLED_BACK: '200 TRANSACTION_CONFLICT',
    SIGNATURE: '401 SIGNATURE_INVALID',
    NO_PROVIDER: '404 PROVIDER_NOT_FOUND',
    RETRY: '200 INTERNAL_ERROR',
  },
};

function fieldsFor({ seat, round, moves, closes }: Message): object {
  const who = { playerId: seat.playerId, currency: seat.currency, timestamp: new Date().toISOString() };
  const [move, second] = moves;
  if (!move) return { action: 'BALANCE', ...who };
  const isPair = move.type === 'bet' && second?.type === 'win';
  return {
    action: isPair ? 'BET_WIN' : ACTIONS[move.type],
    ...who,
    sessionToken: seat.token,
    gameCode: seat.gameCode,
    ...(move.type === 'jackpot' || move.type === 'freeSpins' ? {} : { roundId: round }),
    transactionId: move.id,
    amount: amountOf(move),
    ...(isPair ? { winAmount: amountOf(second) } : {}),
    ...(move.type === 'rollback' ? { referenceTransactionId: move.reference } : {}),
    ...(closes ? { roundClosed: true } : {}),
  };
}

const amountOf = ({ amount }: Move): string => (amount === 'too fine' ? '1.000000001' : amount);

/** Signs any body. Exported for the test vectors of the specification. */
export function signGeneric(body: string, secret: string, seconds: number): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

function signed(fields: object, { secret, fault }: Signing): Call {
  const body = JSON.stringify(fields);
  const now = Math.floor(Date.now() / 1000);
  const seconds = fault === 'old' ? now - TOLERANCE_S - 1 : now;
  const signature = signGeneric(body, fault === 'secret' ? 'nobody-knows-this-one' : secret, seconds);
  return {
    path: '',
    body: fault === 'space' ? `${body} ` : body,
    headers: { 'content-type': 'application/json', 'x-signature': signature },
  };
}
