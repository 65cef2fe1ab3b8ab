import { route } from '../../../../http/route.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { stakeRefusals } from '../../betting/errors.ts';
import { ACTION, configRoute, SHOW, START } from '../routes.ts';
import {
  ActiveBlackjackRound,
  BlackjackAction,
  BlackjackConfig,
  BlackjackInit,
  BlackjackInitDebug,
  BlackjackRound,
} from './schemas.ts';
import type { Blackjack } from './service.ts';

export const blackjackRoutes = (blackjack: Blackjack) => [
  route({
    ...START,
    path: '/casino/games/house/blackjack/init',
    summary: 'Deal a round of blackjack',
    description: 'A natural may end it at once.',
    body: BlackjackInit,
    response: BlackjackRound,
    handler: ({ caller, body }) => blackjack.init(caller, body),
  }),
  route({
    ...ACTION,
    path: '/casino/games/house/blackjack/handleAction',
    // The gate is asked where an action takes new money.
    summary: 'Act on the open round of blackjack',
    body: BlackjackAction,
    response: BlackjackRound,
    errors: [...stakeRefusals, commonErrors.AMOUNT_OUT_OF_RANGE],
    handler: ({ caller, body }) => blackjack.act(caller, body),
  }),
  route({
    ...SHOW,
    path: '/casino/games/house/blackjack/getActiveState',
    summary: 'The open round of blackjack, if there is one',
    response: ActiveBlackjackRound,
    handler: ({ user }) => blackjack.active(user.id),
  }),
  configRoute('blackjack', {
    summary: 'Limits of blackjack',
    response: BlackjackConfig,
    read: () => blackjack.config(),
  }),
];

/** Chosen cards: for development. */
export const blackjackDebugRoutes = (blackjack: Blackjack) => [
  route({
    ...START,
    path: '/casino/games/house/blackjack/initDebug',
    summary: 'Deal a round of blackjack from a given deck',
    description: 'Such a round takes no nonce and has no seeds.',
    body: BlackjackInitDebug,
    response: BlackjackRound,
    handler: ({ caller, body }) => blackjack.init(caller, body),
  }),
];
