import type { z } from 'zod';
import { type OutboundRequest, Unanswered } from '../../../../../../platform/net/outbound.ts';
import { signatureOf, signedBy } from '../../../../../base/webhooks/signature.ts';
import type { Policy } from '../../../engine/call.ts';
import type { ReportedTransaction } from '../../../engine/rules.ts';
import type { GameProvider, LaunchRequest, SupplierGame } from '../../provider.ts';
import {
  ask,
  type Currencies,
  codeOf,
  connect,
  type DialectDeps,
  imagesOf,
  LIST_BYTES,
  percentOf,
  reported,
} from '../client.ts';
import { ownCategories, unitsOfText } from '../rules.ts';
import { answerGeneric, readGeneric } from './callback.ts';
import { Games, Launched, Report } from './schemas.ts';

const POLICY: Policy = {
  // A repeated call gets the stored response.
  repeatShows: 'then',
  // Only the first reported end of a bet counts.
  rollsBackEnded: false,
  // Only bets can be rolled back.
  rollsBackWins: false,
  // A win ends its bet, so the bet can no longer be rolled back.
  rollsBackWon: false,
  // The status that the specification requires for a bet that arrives after its rollback.
  tombstone: 'TRANSACTION_CONFLICT',
  // A win contains the id of its round, but not the id of its bet.
  winsName: false,
};

/** Our own format (GameWalletRequest in the specification). */
export function createGeneric(deps: DialectDeps): GameProvider {
  const { settings, currencies, clock } = deps;
  const { api, books } = connect(deps);
  const signed = (request: OutboundRequest): OutboundRequest => {
    // Signs the body or, for requests without a body, the path below the provider's host.
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
    actions: [''],
    verify: signedBy(settings.secrets, deps),
    read: (_action, raw) => readGeneric(raw, currencies),
    answer: (_action, answer) => answerGeneric(answer, currencies),

    launch(request) {
      const body = JSON.stringify(launchBody(request, currencies));
      const headers = { 'content-type': 'application/json' };
      return ask(api, signed({ method: 'POST', path: '/launch', headers, body }), Launched);
    },

    async list() {
      const request = { method: 'GET', path: '/games', limitBytes: LIST_BYTES } as const;
      const { total, games } = await ask(api, signed(request), Games);
      if (total !== games.length) throw new Unanswered('returned an incomplete list');
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

/** Throws NotSent for a currency that the provider does not support. */
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
    // Our own format does not support free bets.
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
