/**
 * A sportsbook that calls the platform with GR8's protocol. It signs in, and sends every bet and settlement as a transaction. Responses
 * with status 200 or 400 are final. After any other response it repeats the call forever. Its own API has a single operation, a report that
 * is protected by its login and password: `GET /transactions?from&to` → `{ transactions: [{ id, type, reason, playerId, currency, amount,
 * betId, parentId, at, state }] }`.
 */
import { randomUUID } from 'node:crypto';
import {
  type Endpoint,
  json,
  parseObject,
  type SandboxAnswer,
  type SandboxRequest,
  setting,
} from '../endpoint.ts';
import { formatAmount } from '../payments-amounts.ts';
import { readAmount } from './amounts.ts';
import type { GamesBehaviour } from './behaviour.ts';
import type { Books, Transaction } from './books.ts';
import { type Message, period, type Reply } from './dialect.ts';
import type { Unsettled } from './unsettled.ts';
import type { Wallet } from './wallet.ts';

const BASE = '/games/sportsbook';
const HOOKS = '/sportsbook/external';
const BOOK = 'sportsbook';
const JSON_TYPE = { 'content-type': 'application/json' };
/** Transaction type by reason, and the sign of the change in the player's cash. */
const REASONS: Readonly<Record<string, { type: string; sign: bigint }>> = {
  bet: { type: 'withdrawal', sign: -1n },
  settle: { type: 'deposit', sign: 1n },
  resettle: { type: 'deposit', sign: 1n },
  cancelsettle: { type: 'withdrawal', sign: -1n },
  'cash-out': { type: 'deposit', sign: 1n },
  void: { type: 'deposit', sign: 1n },
  partial: { type: 'deposit', sign: 1n },
  rollback: { type: 'rollback', sign: 0n },
  freebet: { type: 'withdrawal', sign: -1n },
  'freebet-settle': { type: 'deposit', sign: 1n },
  award: { type: 'award', sign: 1n },
  release: { type: 'release', sign: 1n },
  retract: { type: 'retract', sign: -1n },
};

export const REASON_NAMES = Object.keys(REASONS);

const login = () => setting('SANDBOX_SPORTSBOOK_LOGIN', 'sandbox');
const password = () => setting('SANDBOX_SPORTSBOOK_PASSWORD', 'sandbox-sportsbook-password');

/**
 * A transaction to send. The `amount` of a resettle is the difference to the previous settlement. It is negative if the player returns
 * money.
 */
export type SportsAction = {
  reason: string;
  playerId: string;
  currency: string;
  betId: string;
  amount: bigint;
  id?: string | undefined;
  parentId?: string | undefined;
};
type Parts = { books: Books; wallet: Wallet; behaviour: GamesBehaviour; unsettled: Unsettled };
/**
 * `token`: the current sign-in, for which all authenticated calls wait. `settlements`: number of settlements by bet. `unread`: transactions
 * with at least one call that got no response. The platform may still carry out such a call.
 */
type Bookmaker = Parts & {
  token: Promise<string> | undefined;
  settlements: Map<string, number>;
  unread: WeakSet<Transaction>;
};
export type Answered = { id: string; status: number | null; code: string; state: Transaction['state'] };
export type Sportsbook = ReturnType<typeof createSportsbook>;

export function createSportsbook(parts: Parts) {
  const bookmaker: Bookmaker = { ...parts, token: undefined, settlements: new Map(), unread: new WeakSet() };
  const sending = (action: SportsAction) => parts.unsettled.follow(send(bookmaker, action));
  return { endpoints: endpointsOf({ books: parts.books, send: sending }) };
}

/** Signs in. Repeats the call until the platform accepts it. */
async function signIn({ wallet }: Bookmaker): Promise<string> {
  for (let n = 1; ; n++) {
    const body = JSON.stringify({ login: login(), password: password() });
    const reply = await wallet.attempt({ path: `${HOOKS}/auth/login`, body, headers: JSON_TYPE });
    const given = reply && parseObject(reply.body)?.token;
    if (typeof given === 'string') return given;
    await wallet.pauseBefore(n);
  }
}

function enter(bookmaker: Bookmaker, action: SportsAction): Transaction {
  const { reason, playerId, currency, betId, amount, parentId = null } = action;
  bookmaker.books.round({ book: BOOK, id: betId, playerId, currency, gameCode: null });
  return bookmaker.books.enter({
    book: BOOK,
    id: action.id ?? idOf(bookmaker, reason, betId),
    type: reason,
    playerId,
    currency,
    amount: amount < 0n ? -amount : amount,
    effect: REASONS[reason]!.sign * amount,
    roundId: betId,
    gameCode: null,
    reference: parentId,
    isFree: reason === 'freebet',
    award: null,
  });
}

function idOf({ settlements }: Bookmaker, reason: string, betId: string): string {
  if (reason === 'bet' || reason === 'freebet') return `${betId}_bet`;
  if (reason === 'rollback') return `${betId}_rollback`;
  const n = settlements.get(betId) ?? 0;
  settlements.set(betId, n + 1);
  return reason === 'cancelsettle' ? `${betId}_cancelsettle_${n}` : `${betId}_settlement_${n}`;
}

async function attempt(bookmaker: Bookmaker, transaction: Transaction): Promise<Reply | undefined> {
  const isForged = bookmaker.behaviour.hits('wrongSignature');
  transaction.tries++;
  const copies = bookmaker.behaviour.hits('duplicatesAtOnce') ? 2 : 1;
  const sending = async (key: string) => {
    const message = messageOf(transaction, isForged ? 'another-token' : key);
    const replies = await Promise.all(
      Array.from({ length: copies }, () => bookmaker.wallet.attempt(message)),
    );
    if (replies.some((one) => !one || one.status >= 500)) bookmaker.unread.add(transaction);
    return replies.find((one) => one?.status === 200) ?? replies[0];
  };
  return signedIn(bookmaker, sending, { forgets: !isForged });
}

/** Calls the platform with the token. Discards a rejected token unless another call has signed in again in the meantime. */
async function signedIn(
  bookmaker: Bookmaker,
  call: (key: string) => Promise<Reply | undefined>,
  { forgets = true } = {},
): Promise<Reply | undefined> {
  bookmaker.token ??= signIn(bookmaker);
  const { token } = bookmaker;
  const reply = await call(await token);
  if (reply?.status === 401 && forgets && bookmaker.token === token) bookmaker.token = undefined;
  return reply;
}

/**
 * If an earlier call got no response and a later one was rejected, the platform may have booked the transaction. Queries the platform for
 * its state.
 */
async function lookUp(bookmaker: Bookmaker, transaction: Transaction): Promise<void> {
  const path = `${HOOKS}/wallet/${transaction.playerId}/transactions/${transaction.id}`;
  for (let n = 1; ; n++) {
    const reply = await signedIn(bookmaker, (key) =>
      bookmaker.wallet.attempt({ path, body: '', headers: { 'x-api-key': key } }, 'GET'),
    );
    if (reply?.status === 200 && transaction.state === 'REFUSED') transaction.state = 'DONE';
    if (reply?.status === 200 || reply?.status === 404) return;
    await bookmaker.wallet.pauseBefore(n);
  }
}

/** Sends a transaction until it is accepted or rejected. */
async function send(bookmaker: Bookmaker, action: SportsAction): Promise<Answered> {
  const transaction = enter(bookmaker, action);
  if (action.reason === 'bet' && bookmaker.behaviour.hits('outOfOrder'))
    await takeBack(bookmaker, action, transaction);
  for (let n = 1; ; n++) {
    const reply = await attempt(bookmaker, transaction);
    if (reply?.status === 200 || reply?.status === 400)
      return settled(bookmaker, { transaction, action, reply });
    if (action.reason === 'bet' && !reply && bookmaker.behaviour.hits('rollbackAfterLost')) {
      await takeBack(bookmaker, action, transaction);
      return { id: transaction.id, status: null, code: 'taken back', state: transaction.state };
    }
    await bookmaker.wallet.pauseBefore(n);
  }
}

const takeBack = (bookmaker: Bookmaker, action: SportsAction, { id }: Transaction): Promise<Answered> =>
  send(bookmaker, { ...action, reason: 'rollback', id: `${id}_rollback`, parentId: id });

async function settled(
  bookmaker: Bookmaker,
  { transaction, action, reply }: { transaction: Transaction; action: SportsAction; reply: Reply },
): Promise<Answered> {
  const code = reply.status === 200 ? 'OK' : String(parseObject(reply.body)?.code);
  if (transaction.state === 'REFUSED' && code === 'OK' && !isOpen(transaction.answer))
    bookmaker.books.oddity(`sportsbook: ${transaction.answer}, and later OK: ${transaction.id}`);
  // A transaction that was rejected because its bet was unknown may be sent again later.
  if (transaction.state === 'REFUSED' && code === 'OK') transaction.state = 'DONE';
  if (transaction.state === 'PENDING') transaction.state = code === 'OK' ? 'DONE' : 'REFUSED';
  transaction.answer = code;
  if (action.reason === 'rollback' && action.parentId) takenBack(bookmaker, action.parentId, code);
  if (bookmaker.behaviour.hits('duplicates')) {
    const second = await attempt(bookmaker, transaction);
    if (second?.status === 200 && code !== 'OK')
      return settled(bookmaker, { transaction, action, reply: second });
    if (second?.status === 400 && code === 'OK')
      bookmaker.books.oddity(`sportsbook: OK, then ${second.body} the second time: ${transaction.id}`);
  }
  if (transaction.state === 'REFUSED' && isOpen(code) && bookmaker.unread.has(transaction))
    bookmaker.unsettled.leave(() => lookUp(bookmaker, transaction));
  return { id: transaction.id, status: reply.status, code, state: transaction.state };
}

/** Records a rollback. If the platform has not received the transaction before, it must never book the transaction afterwards. */
function takenBack({ books }: Bookmaker, parentId: string, code: string): void {
  const parent = books.find(BOOK, parentId);
  if (parent && (code === 'OK' || code === 'decline.parent.notfound')) parent.state = 'UNDONE';
  if (parent?.state === 'PENDING' && code === 'decline.parent.failed') parent.state = 'REFUSED';
}

/** Returns true for rejections that depend on the bet's state at that time. The same transaction may be accepted later. */
const isOpen = (code: string | null): boolean =>
  code === 'decline.parent.notfound' || code === 'error.request.invalid';

function messageOf(transaction: Transaction, key: string): Message {
  const {
    id,
    type: reason,
    playerId,
    currency,
    roundId: betId,
    reference: parentId,
    amount,
    effect,
    at,
  } = transaction;
  const isTaken = reason === 'resettle' && effect < 0n;
  const body = JSON.stringify({
    id,
    currency,
    platform: 'web',
    type: isTaken ? 'withdrawal' : REASONS[reason]!.type,
    initiatedAt: at,
    createdAt: at,
    context: {
      product: 'sport',
      reason,
      betId,
      ...(parentId && { parentId }),
      language: 'en',
      legs: [{ event: 'Orchards United – Harbour City', market: 'winner', odds: '2.10' }],
    },
    amountBreakdown: { cash: formatAmount(amount), locked: '0', bonus: '0' },
  });
  return {
    path: `${HOOKS}/wallet/${playerId}/transactions`,
    body,
    headers: { ...JSON_TYPE, 'x-api-key': key },
  };
}

type Desk = { books: Books; send: (action: SportsAction) => Promise<Answered> };

const endpointsOf = ({ books, send }: Desk): Endpoint[] => [
  {
    method: 'POST',
    path: `${BASE}/transactions`,
    about: `Sportsbook: sends a transaction to the platform and returns the result. reason is one of ${REASON_NAMES.join(', ')}. The amount of a resettle is the difference. A rollback reverses parentId, or the bet if parentId is omitted. Other fields: id, parentId.`,
    example: '{ "reason": "bet", "playerId": "1", "currency": "USDT", "amount": "10", "betId": "b-1" }',
    async handle({ body }) {
      const action = readAction(parseObject(body) ?? {});
      return typeof action === 'string' ? json(400, { error: action }) : json(200, await send(action));
    },
  },
  {
    method: 'GET',
    path: `${BASE}/transactions`,
    about:
      'Sportsbook: lists the transactions between from and to. Basic authorization with login and password.',
    handle: (request) => report(books, request),
  },
];

/** Returns the parsed action, or a description of the error. */
function readAction(input: Record<string, unknown>): SportsAction | string {
  const { reason, playerId, currency, id, parentId, betId = randomUUID() } = input as Record<string, string>;
  const amount = readAmount(input.amount ?? '0');
  if (!reason || !Object.hasOwn(REASONS, reason)) return `reason is one of ${REASON_NAMES.join(', ')}`;
  if (!playerId || !currency || amount === null) return 'playerId, currency and amount are needed';
  const parent = reason === 'rollback' ? (parentId ?? `${betId}_bet`) : parentId;
  return { reason, playerId: String(playerId), currency, betId, amount, id, parentId: parent };
}

function report(books: Books, { headers, query }: SandboxRequest): SandboxAnswer {
  const wanted = `Basic ${Buffer.from(`${login()}:${password()}`).toString('base64')}`;
  if (headers.authorization !== wanted) return json(401, { error: 'UNAUTHORIZED' });
  const times = period(query.get('from'), query.get('to'));
  if (!times) return json(400, { error: 'INVALID_REQUEST' });
  const transactions = books.report(BOOK, times.from, times.to).map(({ transaction }) => ({
    id: transaction.id,
    type: REASONS[transaction.type]!.type,
    reason: transaction.type,
    playerId: transaction.playerId,
    currency: transaction.currency,
    amount: formatAmount(transaction.amount),
    betId: transaction.roundId,
    parentId: transaction.reference,
    at: transaction.at,
    state: transaction.state,
  }));
  return json(200, { transactions });
}
