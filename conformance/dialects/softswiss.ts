import { createHmac, randomInt, randomUUID } from 'node:crypto';
import { fieldsOf, fromUnits, toUnits } from '../amounts.ts';
import type { Call, Dialect, Message, Move, Signing } from '../dialect.ts';

/** Number of decimals of each currency's subunit, for the currencies that the cases use. */
const PLACES: Readonly<Record<string, number>> = { BTC: 8, ETH: 8 };
const FIAT_PLACES = 2;

/** SOFTSWISS's Game Aggregator: JSON, lists of actions, subunits. */
export const softswiss: Dialect = {
  name: 'softswiss',
  letter: 'S',
  slug: 'sandbox-softswiss',
  secret: 'sandbox-softswiss-token',
  base: (slug) => `/webhooks/games/${slug}`,
  newId: () => randomUUID(),
  newRound: () => `17${randomInt(1e12, 9e12)}${randomInt(1e4, 9e4)}`,
  calls: (message, signing) => [signed(message, signing)],
  read({ status, body }) {
    const { code, balance, transactions } = fieldsOf(body);
    const done = Array.isArray(transactions) ? (transactions as { tx_id: string }[]) : [];
    return {
      code: code === undefined ? String(status) : `${status} ${String(code)}`,
      ...(typeof balance === 'string' ? { balance: fromUnits(BigInt(balance), FIAT_PLACES) } : {}),
      ids: done.map(({ tx_id }) => tx_id),
    };
  },
  codes: {
    OK: '200',
    INVALID: '400 400',
    WRONG_CURRENCY: '400 400',
    TOKEN: '412 101',
    TOKEN_ENDED: '412 101',
    NO_PLAYER: '412 101',
    BLOCKED: '412 110',
    EXCLUDED: '412 110',
    LIMIT: '412 105',
    GAME: '412 107',
    FUNDS: '412 100',
    CLOSED: '412 400',
    NOT_FOUND: '412 404',
    CONFLICT: '412 400',
    ROLLED_BACK: '200',
    SIGNATURE: '403 403',
    NO_PROVIDER: '404 PROVIDER_NOT_FOUND',
    RETRY: '500 500',
  },
};

function fieldsFor({ seat, round, moves, closes }: Message): [path: string, fields: object] {
  const who = {
    user_id: seat.playerId,
    currency: seat.currency,
    game: seat.gameCode,
    ...(seat.token ? { session_id: seat.token } : {}),
  };
  const [first] = moves;
  if (first?.type === 'freeSpins') {
    const issue = { issue_id: first.id, status: 'played', total_amount: amountOf(first, seat.currency) };
    return ['/freespins', { ...who, ...issue }];
  }
  const about = { ...who, ...(round ? { game_id: round } : {}), finished: closes };
  if (first?.type === 'rollback') {
    const actions = moves.map(({ id, reference }) => ({
      action: 'rollback',
      action_id: id,
      original_action_id: reference,
    }));
    return ['/rollback', { ...about, actions }];
  }
  const actions = moves.map((move) => ({
    action: move.type,
    action_id: move.id,
    amount: amountOf(move, seat.currency),
  }));
  return ['/play', { ...about, actions }];
}

const amountOf = ({ amount }: Move, currency: string): number =>
  amount === 'too fine' ? 100.5 : Number(toUnits(amount, PLACES[currency] ?? FIAT_PLACES));

export const signSoftswiss = (body: string, token: string): string =>
  createHmac('sha256', token).update(body).digest('hex');

function signed(message: Message, { secret, fault }: Signing): Call {
  const [path, fields] = fieldsFor(message);
  const body = JSON.stringify(fields);
  return {
    path,
    body: fault === 'space' ? `${body} ` : body,
    headers: {
      'content-type': 'application/json',
      'x-request-sign': signSoftswiss(body, fault === 'secret' ? 'nobody-knows-this-one' : secret),
    },
  };
}
