import { z } from 'zod';
import { route } from '../../../http/route.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { authErrors } from '../../accounts/auth/errors.ts';
import { gateErrors, moneyInErrors } from '../../compliance/gate/errors.ts';
import { betErrors } from '../bets/errors.ts';
import { bettingErrors } from '../betting/errors.ts';
import { sportsbookErrors, transactionErrors } from './errors.ts';
import {
  BalanceQuery,
  BetAsked,
  KeyHeaders,
  PlayerPath,
  PlayerToken,
  PlayerTokenQuery,
  PublicKey,
  SportsbookBalance,
  SportsbookBet,
  SportsbookCall,
  SportsbookLogin,
  SportsbookPlayer,
  SportsbookSession,
  SportsbookTransaction,
  SportsbookTransactionResult,
  TransactionPath,
} from './schemas.ts';
import type { Sportsbook } from './service.ts';

const tag = 'Sportsbook external';
const authTag = 'Sportsbook external (auth)';

export const sportsbookRoutes = (sportsbook: Sportsbook) => [
  logInRoute(sportsbook, { tag: authTag, path: '/sportsbook/external/auth/login' }),
  publicKeyRoute(sportsbook, { tag: authTag, path: '/sportsbook/external/auth/public-key' }),
  route({
    method: 'GET',
    path: '/sportsbook/external/token',
    tag,
    access: 'auth',
    gate: 'bet',
    hasSideEffect: true,
    summary: 'A token that opens the sportsbook, good for five minutes',
    query: PlayerTokenQuery,
    response: PlayerToken,
    errors: [
      ...moneyInErrors,
      gateErrors.PLAY_STOPPED,
      bettingErrors.GAME_DISABLED,
      commonErrors.CURRENCY_NOT_FOUND,
    ],
    handler: ({ user, ip, query }) => sportsbook.players.issueToken({ user, ip }, query),
  }),
  ...providerRoutes(sportsbook),
];

type Place = { tag: string; path: string };

const logInRoute = (sportsbook: Sportsbook, place: Place) =>
  route({
    ...place,
    method: 'POST',
    access: 'anonymous',
    gate: 'none',
    limit: 'auth',
    summary: 'Sign the sportsbook in, server to server',
    description: 'The token is sent as `x-api-key`. Two are in force at most: a third one ends the first.',
    body: SportsbookLogin,
    response: SportsbookSession,
    errors: [authErrors.AUTH_INVALID_CREDENTIALS],
    handler: ({ body, ip }) => sportsbook.tokens.logIn(body, ip),
  });

const publicKeyRoute = (sportsbook: Sportsbook, place: Place) =>
  route({
    ...place,
    method: 'GET',
    access: 'anonymous',
    summary: "The key that proves players' tokens",
    response: PublicKey,
    handler: () => sportsbook.keys.publicKey(),
  });

/** What the sportsbook calls with a token of its own. */
function providerRoutes(sportsbook: Sportsbook) {
  const keyCheck = (key: string | undefined) => sportsbook.tokens.check(key);
  const provider = { tag, access: 'apikey', keyCheck, headers: KeyHeaders } as const;
  const errors = [commonErrors.API_KEY_INVALID, sportsbookErrors['error.user.not-found']];
  return [
    route({
      ...provider,
      method: 'GET',
      path: '/sportsbook/external/players/{playerId}',
      summary: 'Who a player is, and whether they may bet',
      params: PlayerPath,
      response: SportsbookPlayer,
      errors,
      handler: ({ params }) => sportsbook.players.get(params.playerId),
    }),
    route({
      ...provider,
      method: 'GET',
      path: '/sportsbook/external/wallet/{playerId}/balances',
      summary: "A player's cash",
      description: 'Without `currencies` in every currency that they ever had.',
      params: PlayerPath,
      query: BalanceQuery,
      response: z.array(SportsbookBalance),
      errors,
      handler: ({ params, query }) => sportsbook.players.balances(params.playerId, query.currencies),
    }),
    route({
      ...provider,
      method: 'POST',
      path: '/sportsbook/external/wallet/{playerId}/transactions',
      gate: 'none',
      isRaw: true,
      summary: "Book a transaction on a player's money",
      description:
        'The same `id` and content again answer what was booked, with `alreadyProcessed`. 200 and 400 are final; anything else is to be sent again.',
      params: PlayerPath,
      body: SportsbookCall,
      status: 200,
      response: SportsbookTransactionResult,
      errors: [commonErrors.API_KEY_INVALID, ...Object.values(sportsbookErrors)],
      handler: ({ params, notice }) => sportsbook.wallet.take(params.playerId, notice!),
    }),
    route({
      ...provider,
      method: 'GET',
      path: '/sportsbook/external/wallet/{playerId}/transactions/{transactionId}',
      summary: 'A transaction that was booked',
      params: TransactionPath,
      response: SportsbookTransaction,
      errors: [commonErrors.API_KEY_INVALID, transactionErrors.TRANSACTION_NOT_FOUND],
      handler: ({ params }) => sportsbook.wallet.get(params.playerId, params.transactionId),
    }),
  ];
}

/** Where only the local and the test environment have them. */
export const sportsbookDebugRoutes = (sportsbook: Sportsbook, segment: string) => [
  logInRoute(sportsbook, { tag: 'Debug', path: `/debug/${segment}/auth` }),
  publicKeyRoute(sportsbook, { tag: 'Debug', path: `/debug/${segment}/auth` }),
  route({
    method: 'POST',
    path: `/debug/${segment}/get-bet`,
    tag: 'Debug',
    access: 'anonymous',
    gate: 'none',
    summary: 'A bet at the sportsbook with its transactions',
    body: BetAsked,
    response: SportsbookBet,
    errors: [betErrors.BET_NOT_FOUND],
    handler: ({ body }) => sportsbook.wallet.bet(body.betId),
  }),
];
