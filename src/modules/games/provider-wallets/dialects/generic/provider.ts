import type { z } from 'zod';
import { type OutboundRequest, Unanswered } from '../../../../../platform/outbound.ts';
import { webhookErrors } from '../../../../base/webhooks/errors.ts';
import { signatureOf, signedBy } from '../../../../base/webhooks/signature.ts';
import type { Policy } from '../../call.ts';
import type { GameProvider, LaunchRequest, SupplierGame } from '../../provider.ts';
import type { ReportedTransaction } from '../../rules.ts';
import { unitsOfText } from '../amounts/rules.ts';
import { ownCategories } from '../categories/rules.ts';
import {
  ask,
  codeOf,
  connect,
  type DialectDeps,
  imagesOf,
  LIST_BYTES,
  percentOf,
  reported,
} from '../client.ts';
import type { Currencies } from '../currencies.ts';
import { answerGeneric } from './answer.ts';
import { readGeneric } from './read.ts';
import { Games, Launched, Report } from './schemas.ts';

const POLICY: Policy = {
  // The stored answer is repeated as it was.
  repeatShows: 'then',
  // One end per bet, the first one counts (case 39).
  rollsBackEnded: false,
  // Only bets are taken back.
  rollsBackWins: false,
  // A win is an end too: no rollback after it.
  rollsBackWon: false,
  // The contract's word for a bet that comes after its rollback.
  tombstone: 'TRANSACTION_CONFLICT',
  // A win names its round alone.
  winsName: false,
};

/** Our own form (the contract's GameWalletRequest), for suppliers that speak it. */
export function createGeneric(deps: DialectDeps): GameProvider {
  const { settings, currencies, clock } = deps;
  const { api, books } = connect(deps);
  const signed = (request: OutboundRequest): OutboundRequest => {
    // What is signed is what the supplier sees: the body, or the path below its host.
    const base = new URL(
      request.path.startsWith('/transactions') && settings.reportUrl ? settings.reportUrl : settings.apiUrl,
    );
    const text = request.body ?? `${base.pathname.replace(/\/$/, '')}${request.path}`;
    const signature = signatureOf(text, settings.secrets[0]!, Math.floor(clock.now() / 1000));
    return { ...request, headers: { ...request.headers, 'x-signature': signature } };
  };
  return {
    slug: settings.slug,
    dialect: 'generic',
    currencies: settings.currencies,
    launchOrigins: settings.launchOrigins,
    policy: POLICY,
    verify: signedBy(settings.secrets, deps),
    read(action, raw) {
      if (action !== '') throw webhookErrors.PROVIDER_NOT_FOUND();
      return readGeneric(raw, currencies);
    },
    answer: (_action, answer) => answerGeneric(answer, currencies),

    launch(request) {
      const body = JSON.stringify(launchBody(request, currencies));
      const headers = { 'content-type': 'application/json' };
      return ask(api, signed({ method: 'POST', path: '/launch', headers, body }), Launched);
    },

    async list() {
      const request = { method: 'GET', path: '/games', limitBytes: LIST_BYTES } as const;
      const { total, games } = await ask(api, signed(request), Games);
      if (total !== games.length) throw new Unanswered('answered with a list that is not complete');
      return games.map((game) => gameOf(game, currencies));
    },

    async report(from, to) {
      const query = new URLSearchParams({ from: from.toISOString(), to: to.toISOString() });
      const request = { method: 'GET', path: `/transactions?${query}`, limitBytes: LIST_BYTES } as const;
      const { transactions } = await ask(books, signed(request), Report);
      return transactions.map((one) => transactionOf(one, currencies));
    },
  };
}

/** Throws NotSent for a currency that the provider does not have. */
function launchBody(
  { gameCode, player, language, device, ip, lobbyUrl }: LaunchRequest,
  currencies: Currencies,
) {
  const common = { language, device, ip, lobbyUrl };
  if (!player) return { gameCode, demo: true, ...common };
  const { userId, username, token, currencyId, country } = player;
  return {
    gameCode,
    demo: false,
    playerId: String(userId),
    sessionToken: token,
    currency: codeOf(currencies, currencyId),
    country,
    username,
    ...common,
  };
}

function transactionOf(
  one: z.output<typeof Report>['transactions'][number],
  currencies: Currencies,
): ReportedTransaction {
  const currency = currencies.byCode(one.currency);
  const amount = unitsOfText(one.amount, currency ?? { factor: '1', decimals: 8 });
  return {
    transactionId: one.transactionId,
    type: one.type,
    playerId: one.playerId,
    currencyId: currency?.ours ?? one.currency,
    amount: reported(amount, one.transactionId),
    round: one.roundId ?? null,
    gameCode: one.gameCode ?? null,
    at: new Date(one.at),
    state: one.state,
    isRoundClosed: one.roundClosed ?? null,
    // Our own form has no free bets.
    isFree: false,
    reference: one.referenceTransactionId ?? null,
  };
}

const gameOf = (game: z.output<typeof Games>['games'][number], currencies: Currencies): SupplierGame => ({
  code: game.code,
  name: game.name,
  type: game.type,
  categories: ownCategories(game.categories),
  images: imagesOf(...game.images),
  currencies: currencies.oursOf(game.currencies),
  blockedCountries: game.blockedCountries ?? [],
  description: game.description ?? null,
  rtp: percentOf(game.rtp),
  volatility: game.volatility ?? null,
  maxWinMultiplier: game.maxWinMultiplier ?? null,
  hasDemo: game.hasDemo,
  hasFreeSpins: game.hasFreeSpins,
});
