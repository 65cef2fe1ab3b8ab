import { randomUUID } from 'node:crypto';
import { fieldsOf, fromUnits, toUnits } from '../amounts.ts';
import type { Call, Dialect, Message, Move, Signing } from '../dialect.ts';

/** The protocol's type for each kind of transaction, and the reason in the transaction's context. */
const KINDS: Partial<Record<Move['type'], readonly [type: string, reason: string]>> = {
  bet: ['withdrawal', 'bet'],
  win: ['deposit', 'settle'],
  resettle: ['deposit', 'resettle'],
  cancelSettle: ['withdrawal', 'cancelsettle'],
  rollback: ['rollback', 'rollback'],
  freeBet: ['withdrawal', 'freebet'],
};

/** GR8's sportsbook protocol. `secret` contains the login and password. They are exchanged for a token, which is sent with every call. */
export const sportsbook: Dialect = {
  name: 'sportsbook',
  letter: 'B',
  slug: 'sportsbook',
  secret: 'sandbox:sandbox-sportsbook-password',
  base: () => '/sportsbook/external',
  async signIn(secret, send) {
    const colon = secret.indexOf(':');
    const body = JSON.stringify({ login: secret.slice(0, colon), password: secret.slice(colon + 1) });
    const reply = await send({ path: '/auth/login', body, headers: { 'content-type': 'application/json' } });
    const { token } = fieldsOf(reply.body);
    if (typeof token !== 'string') throw new Error(`the login returned ${reply.status} ${reply.body}`);
    return token;
  },
  newId: () => randomUUID(),
  newRound: () => randomUUID(),
  calls: (message, signing) => [callOf(message, signing)],
  read({ status, body }) {
    if (body.startsWith('[')) return { code: String(status), ...cashIn(JSON.parse(body)), ids: [] };
    const { code, balances, alreadyProcessed, details } = fieldsOf(body);
    const shown = balances ?? (details as { balances?: unknown } | undefined)?.balances;
    return {
      code: code === undefined ? String(status) : `${status} ${String(code)}`,
      ...cashIn(shown),
      ids: [],
      ...(typeof alreadyProcessed === 'boolean' ? { isRepeated: alreadyProcessed } : {}),
    };
  },
  codes: {
    OK: '200',
    INVALID: '400 error.request.invalid',
    NO_PLAYER: '400 error.user.not-found',
    BLOCKED: '400 decline.player.blocked',
    EXCLUDED: '400 decline.restrictions',
    LIMIT: '400 limit.exceeded',
    GAME: '400 decline.restrictions',
    FUNDS: '400 decline.lowbalance',
    NOT_FOUND: '400 decline.parent.notfound',
    CONFLICT: '400 error.retry.incorrect',
    ROLLED_BACK: '400 error.retry.incorrect',
    PARENT_FAILED: '400 decline.parent.failed',
    SIGNATURE: '401 API_KEY_INVALID',
  },
};

function cashIn(balances: unknown): { balance?: string } {
  if (!Array.isArray(balances)) return {};
  const own = (balances as { currency: string; cash: string }[]).find(({ currency }) => currency === 'USDT');
  return own ? { balance: fromUnits(toUnits(own.cash)) } : {};
}

function callOf({ seat, round, moves }: Message, { secret, fault }: Signing): Call {
  const headers = {
    'content-type': 'application/json',
    'x-api-key': fault === 'secret' ? 'nobody-knows-this-one' : secret,
  };
  const wallet = `/wallet/${seat.playerId}`;
  const [move] = moves;
  if (!move) return { path: `${wallet}/balances?currencies=${seat.currency}`, body: '', headers };
  return {
    path: `${wallet}/transactions`,
    body: JSON.stringify(transaction(move, seat.currency, round)),
    headers,
  };
}

function transaction({ type, id, amount, reference, isFree }: Move, currency: string, betId: string): object {
  const [name, reason] = KINDS[type]!;
  const text = amount === 'too fine' ? '1.000000001' : amount;
  const isTaken = type === 'resettle' && text.startsWith('-');
  const now = new Date().toISOString();
  return {
    id,
    currency,
    platform: 'web',
    type: isTaken ? 'withdrawal' : name,
    initiatedAt: now,
    createdAt: now,
    context: {
      product: 'sport',
      reason: isFree ? 'freebet-settle' : reason,
      betId,
      ...(type === 'rollback' ? { parentId: reference } : {}),
      language: 'en',
      legs: [{ event: 'Orchards United – Harbour City', market: 'winner', odds: '2.10' }],
    },
    amountBreakdown: { cash: isTaken ? text.slice(1) : text, locked: '0', bonus: '0' },
  };
}
