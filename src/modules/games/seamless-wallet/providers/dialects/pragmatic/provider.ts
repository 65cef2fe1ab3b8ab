import type { z } from 'zod';
import type { Policy } from '../../../engine/call.ts';
import type { GameProvider, LaunchRequest, SupplierGame } from '../../provider.ts';
import { kindOf } from '../categories/rules.ts';
import {
  ask,
  type Currencies,
  codeOf,
  connect,
  type DialectDeps,
  imagesOf,
  LIST_BYTES,
  percentOf,
  volatilityOf,
} from '../client.ts';
import { answerPragmatic, type PragmaticContext } from './answer.ts';
import { isSignedForm, signedForm } from './form.ts';
import { createFreeRounds } from './free-rounds.ts';
import { ACTIONS, readPragmatic } from './read.ts';
import { readReport } from './report.ts';
import { Games, Launched } from './schemas.ts';

const POLICY: Policy = {
  // A repeated reference gets the current balance.
  repeatShows: 'now',
  // A refund after the end is refused: 120, and a finding (case 64).
  rollsBackEnded: false,
  // It refunds bets alone.
  rollsBackWins: false,
  // A refund once a result is there is refused too (case 64).
  rollsBackWon: false,
  // A bet that comes after its refund has 120, like a round that has ended.
  tombstone: 'ROLLED_BACK',
  // A result names its round alone.
  winsName: false,
};

/** Pragmatic Play's Seamless Wallet and Integration API. */
export function createPragmatic(deps: DialectDeps): GameProvider {
  const { settings, currencies, clock } = deps;
  const { api, books } = connect(deps);
  const { operatorId: secureLogin, secrets, endRound: hasEndRound } = settings;
  const [secret = ''] = secrets;
  const post = <S extends z.ZodType>(
    path: string,
    fields: Record<string, string | undefined>,
    schema: S,
  ): Promise<z.output<S>> => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = signedForm({ secureLogin, ...fields }, secret);
    return ask(api, { method: 'POST', path, headers, body, limitBytes: LIST_BYTES }, schema);
  };
  return {
    slug: settings.slug,
    dialect: 'pragmatic',
    currencies: settings.currencies,
    launchOrigins: settings.launchOrigins,
    policy: POLICY,
    actions: ACTIONS,
    verify: (raw) => isSignedForm(raw, secrets),
    read: (action, raw) => readPragmatic(action, raw, { currencies, hasEndRound }),
    answer: (action, answer, context) =>
      answerPragmatic(action, { answer, context: context as PragmaticContext | undefined, currencies }),

    async launch(request) {
      const { gameURL } = await post('/game/url/', launchFields(request, currencies), Launched);
      return { url: gameURL };
    },

    async list() {
      const { gameList } = await post('/getCasinoGames/', {}, Games);
      return gameList.map((game) => gameOf(game, currencies));
    },

    freeRounds: createFreeRounds({ api, secureLogin, secret, currencies, clock }),

    report: (from, to) => readReport({ books, login: secureLogin, password: secret, currencies }, from, to),
  };
}

function launchFields(request: LaunchRequest, currencies: Currencies) {
  const { gameCode, player, language, device, lobbyUrl } = request;
  const common = {
    symbol: gameCode,
    language,
    platform: device === 'MOBILE' ? 'MOBILE' : 'WEB',
    lobbyUrl,
  };
  if (!player) return { ...common, playMode: 'DEMO', currency: currencies.all[0]!.code };
  return {
    ...common,
    playMode: 'REAL',
    token: player.token,
    externalPlayerId: String(player.userId),
    currency: codeOf(currencies, player.currencyId),
    country: player.country ?? undefined,
  };
}

function gameOf(game: z.output<typeof Games>['gameList'][number], currencies: Currencies): SupplierGame {
  return {
    code: game.gameID,
    name: game.gameName,
    ...kindOf(game.typeDescription, game.gameTypeID),
    images: imagesOf(...(game.images ?? [])),
    currencies: currencies.oursOf(game.currencies),
    blockedCountries: game.blockedCountries ?? [],
    description: null,
    rtp: percentOf(game.rtp),
    volatility: volatilityOf(game.volatility),
    maxWinMultiplier: game.maxWin ?? null,
    hasDemo: game.demoGameAvailable === true,
    hasFreeSpins: game.frbAvailable === true,
  };
}
