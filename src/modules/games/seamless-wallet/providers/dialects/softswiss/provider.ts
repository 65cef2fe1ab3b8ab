import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Outbound, OutboundRequest } from '../../../../../../platform/net/outbound.ts';
import { isSameSecret } from '../../../../../../platform/secrets/encryption.ts';
import type { Policy } from '../../../engine/call.ts';
import type { ReportedTransaction } from '../../../engine/rules.ts';
import type { FreeRounds, GameProvider, LaunchRequest, SupplierGame } from '../../provider.ts';
import { wireInteger } from '../body.ts';
import {
  ask,
  askToWithdraw,
  type Currencies,
  codeOf,
  connect,
  type DialectDeps,
  imagesOf,
  LIST_BYTES,
  percentOf,
  reported,
  volatilityOf,
} from '../client.ts';
import { integerOf, kindOf, providerUnitsOf, unitsOf } from '../rules.ts';
import { ACTIONS, answerSoftswiss, readSoftswiss, type SoftswissContext } from './callback.ts';
import { Games, Launched, Report } from './schemas.ts';

const POLICY: Policy = {
  // A repeated action keeps its tx_id, and the response contains the balance after the whole call.
  repeatShows: 'now',
  // SOFTSWISS repeats rollbacks until it receives 200, even after the end of the round.
  rollsBackEnded: true,
  // Both bets and wins can be rolled back.
  rollsBackWins: true,
  rollsBackWon: true,
  // A transaction that arrives after its rollback gets 200 and a tx_id, but has no effect.
  tombstone: 'OK',
  // A win contains the id of its round, but not the id of its bet.
  winsName: false,
};

const macOf = (text: Buffer | string, secret: string): string =>
  createHmac('sha256', secret).update(text).digest('hex');

/** A provider that uses SOFTSWISS's Game Aggregator (GCP). */
export function createSoftswiss(deps: DialectDeps): GameProvider {
  const { settings, currencies } = deps;
  const { api, books } = connect(deps);
  const { operatorId: casino_id, secrets } = settings;
  const signed = (request: OutboundRequest, url = settings.apiUrl): OutboundRequest => {
    const text = request.body ?? `${new URL(url).pathname.replace(/\/$/, '')}${request.path}`;
    return { ...request, headers: { ...request.headers, 'x-request-sign': macOf(text, secrets[0]!) } };
  };
  const get = (path: string, query: Record<string, string> = {}): OutboundRequest => ({
    method: 'GET',
    path: `${path}?${new URLSearchParams({ casino_id, ...query })}`,
    limitBytes: LIST_BYTES,
  });
  return {
    slug: settings.slug,
    dialect: 'softswiss',
    currencies: settings.currencies,
    launchOrigins: settings.launchOrigins,
    policy: POLICY,
    actions: ACTIONS,
    verify(raw, { 'x-request-sign': header }) {
      if (typeof header !== 'string') return false;
      return secrets.map((secret) => isSameSecret(macOf(raw, secret), header)).includes(true);
    },
    read: (action, raw) => readSoftswiss(action, raw, currencies),
    answer: (_action, answer, context) =>
      answerSoftswiss({ answer, context: context as SoftswissContext | undefined, currencies }),

    async launch(request) {
      const body = JSON.stringify({ casino_id, ...launchFields(request, currencies) });
      const path = request.player ? '/sessions' : '/demo';
      const headers = { 'content-type': 'application/json' };
      const { launch_options } = await ask(api, signed({ method: 'POST', path, headers, body }), Launched);
      return { url: launch_options.game_url };
    },

    freeRounds: createFreeSpins({ api, signed, casinoId: casino_id, currencies }),

    async list() {
      const { games } = await ask(api, signed(get('/games')), Games);
      return games.map((game) => gameOf(game, currencies));
    },

    async report(from, to) {
      const request = get('/transactions', { from: from.toISOString(), to: to.toISOString() });
      const { transactions } = await ask(books, signed(request, settings.reportUrl), Report);
      return transactions.map((one) => transactionOf(one, currencies));
    },
  };
}

function launchFields(request: LaunchRequest, currencies: Currencies) {
  const { gameCode, player, language, device, ip, lobbyUrl } = request;
  const common = {
    game: gameCode,
    locale: language,
    ip,
    client_type: device === 'MOBILE' ? 'mobile' : 'desktop',
    urls: { return_url: lobbyUrl },
  };
  if (!player) return common;
  const { userId, username, token, currencyId, country } = player;
  return {
    ...common,
    currency: codeOf(currencies, currencyId),
    session_id: token,
    user: { id: String(userId), username, ...(country === null ? {} : { country }) },
  };
}

function gameOf(game: z.output<typeof Games>['games'][number], currencies: Currencies): SupplierGame {
  return {
    code: game.identifier,
    name: game.title,
    ...kindOf(game.category),
    images: imagesOf(...(game.images ?? [])),
    currencies: currencies.oursOf(game.currencies),
    blockedCountries: game.restricted_countries ?? [],
    description: game.description ?? null,
    rtp: percentOf(game.payout),
    volatility: volatilityOf(game.volatility_rating),
    maxWinMultiplier: game.multiplier ?? null,
    hasDemo: game.has_demo === true,
    hasFreeSpins: game.has_freespins === true,
  };
}

function transactionOf(
  one: z.output<typeof Report>['transactions'][number],
  currencies: Currencies,
): ReportedTransaction {
  const currency = currencies.byCode(one.currency);
  const given = integerOf(one.amount);
  const amount = given === undefined ? given : unitsOf(given, currency ?? { factor: '1', decimals: 8 });
  return {
    transactionId: one.action_id,
    type: one.action === 'freespins' ? 'FREE_SPIN_WIN' : one.action.toUpperCase(),
    playerId: one.user_id,
    currencyId: currency?.ours ?? one.currency,
    amount: reported(amount, one.action_id),
    round: one.game_id ?? null,
    gameCode: one.game ?? null,
    at: new Date(one.processed_at),
    state: one.rolled_back ? ('UNDONE' as const) : ('DONE' as const),
    isRoundClosed: one.finished ?? null,
    // Free spins are paid as one total, so no single bet is free.
    isFree: false,
    reference: one.original_action_id ?? null,
  };
}

type Parts = {
  api: Outbound;
  signed: (request: OutboundRequest) => OutboundRequest;
  casinoId: string;
  currencies: Currencies;
};

/**
 * Free spins through SOFTSWISS. Each order issues free spins under our own id, which the callback `freespins` contains once they have
 * ended.
 */
function createFreeSpins({ api, signed, casinoId, currencies }: Parts): FreeRounds {
  const post = (path: string, fields: object): OutboundRequest =>
    signed({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ casino_id: casinoId, ...fields }),
    });
  return {
    endBy: 'SUM',
    async give({ id, userId, currencyId, gameCode, rounds, bet, validUntil }) {
      const currency = codeOf(currencies, currencyId);
      const issue = {
        issue_id: id,
        currency,
        games: [gameCode],
        freespins_quantity: rounds,
        bet_amount: wireInteger(providerUnitsOf(bet, currencies.byOurs(currencyId)!)),
        valid_until: validUntil.toISOString(),
        user: { id: String(userId) },
      };
      await ask(api, post('/freespins/issue', issue), z.looseObject({}));
      return id;
    },
    withdraw: ({ id }) => askToWithdraw(api, post('/freespins/cancel', { issue_id: id })),
  };
}
