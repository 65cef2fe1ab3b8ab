import { route } from '../../../../http/route.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { stakeRefusals, startRefusals } from '../../betting/errors.ts';
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
    method: 'POST',
    path: '/casino/games/house/blackjack/init',
    tag: 'Casino',
    access: 'auth',
    gate: 'bet',
    idempotent: true,
    summary: 'Deal a round of blackjack',
    description: 'A natural may end it at once.',
    body: BlackjackInit,
    status: 201,
    response: BlackjackRound,
    errors: startRefusals,
    handler: ({ caller, body }) => blackjack.init(caller, body),
  }),
  route({
    method: 'POST',
    path: '/casino/games/house/blackjack/handleAction',
    tag: 'Casino',
    access: 'auth',
    // Whoever may not bet may finish their round: new money is asked of the gate where an action takes some.
    gate: 'finish',
    onLane: true,
    idempotent: true,
    summary: 'Act on the open round of blackjack',
    body: BlackjackAction,
    status: 201,
    response: BlackjackRound,
    errors: [...stakeRefusals, commonErrors.AMOUNT_OUT_OF_RANGE],
    handler: ({ caller, body }) => blackjack.act(caller, body),
  }),
  route({
    method: 'GET',
    path: '/casino/games/house/blackjack/getActiveState',
    tag: 'Casino',
    access: 'auth',
    summary: 'The open round of blackjack, if there is one',
    status: 200,
    response: ActiveBlackjackRound,
    handler: ({ user }) => blackjack.active(user.id),
  }),
  route({
    method: 'GET',
    path: '/casino/games/house/blackjack/config',
    tag: 'Casino',
    access: 'auth',
    summary: 'Limits of blackjack',
    status: 200,
    response: BlackjackConfig,
    handler: () => blackjack.config(),
  }),
];

/** Chosen cards: for development. */
export const blackjackDebugRoutes = (blackjack: Blackjack) => [
  route({
    method: 'POST',
    path: '/casino/games/house/blackjack/initDebug',
    tag: 'Casino',
    access: 'auth',
    gate: 'bet',
    idempotent: true,
    summary: 'Deal a round of blackjack from a given deck',
    description: 'Such a round takes no nonce and has no seeds.',
    body: BlackjackInitDebug,
    status: 201,
    response: BlackjackRound,
    errors: startRefusals,
    handler: ({ caller, body }) => blackjack.initDebug(caller, body),
  }),
];
