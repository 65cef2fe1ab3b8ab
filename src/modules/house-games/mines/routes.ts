import { route } from '../../../http/route.ts';
import { actionRefusals, houseGameErrors, startRefusals } from '../errors.ts';
import { RoundAction } from '../schemas.ts';
import {
  MinesAutoSpin,
  MinesBoard,
  MinesConfig,
  MinesOpen,
  MinesOpened,
  MinesPlay,
  MinesResult,
} from './schemas.ts';
import type { Mines } from './service.ts';

export const minesRoutes = (mines: Mines) => [
  route({
    method: 'POST',
    path: '/casino/games/house/mines/play',
    tag: 'Casino',
    access: 'auth',
    gate: 'bet',
    idempotent: true,
    summary: 'Start a round of mines',
    body: MinesPlay,
    status: 201,
    response: MinesBoard,
    errors: startRefusals,
    handler: ({ user, ip, body, idempotencyKey }) =>
      mines.play({ userId: user.id, ip, idempotencyKey }, body),
  }),
  route({
    method: 'POST',
    path: '/casino/games/house/mines/open',
    tag: 'Casino',
    access: 'auth',
    gate: 'finish',
    idempotent: true,
    summary: 'Open a cell',
    description: 'Answers `proceed` while the round goes on, `finished` when it is over.',
    body: MinesOpen,
    status: 201,
    response: MinesOpened,
    errors: actionRefusals,
    handler: ({ user, ip, body, idempotencyKey }) =>
      mines.open({ userId: user.id, ip, idempotencyKey }, body),
  }),
  route({
    method: 'POST',
    path: '/casino/games/house/mines/cash-out',
    tag: 'Casino',
    access: 'auth',
    gate: 'finish',
    idempotent: true,
    summary: 'End the round and be paid for the open cells',
    body: RoundAction,
    status: 201,
    response: MinesResult,
    errors: actionRefusals,
    handler: ({ user, ip, body, idempotencyKey }) =>
      mines.cashOut({ userId: user.id, ip, idempotencyKey }, body),
  }),
  route({
    method: 'POST',
    path: '/casino/games/house/mines/auto-spin',
    tag: 'Casino',
    access: 'auth',
    gate: 'bet',
    idempotent: true,
    summary: 'Play a round in one step: the cells are opened in the given order',
    body: MinesAutoSpin,
    status: 201,
    response: MinesResult,
    errors: startRefusals,
    handler: ({ user, ip, body, idempotencyKey }) =>
      mines.autoSpin({ userId: user.id, ip, idempotencyKey }, body),
  }),
  route({
    method: 'GET',
    path: '/casino/games/house/mines/board',
    tag: 'Casino',
    access: 'auth',
    summary: 'The open round, to go on with',
    status: 200,
    response: MinesBoard,
    errors: [houseGameErrors.ROUND_NOT_FOUND],
    handler: ({ user }) => mines.board(user.id),
  }),
  route({
    method: 'GET',
    path: '/casino/games/house/mines/config',
    tag: 'Casino',
    access: 'auth',
    summary: 'Limits of mines',
    status: 200,
    response: MinesConfig,
    handler: () => mines.config(),
  }),
];
