import { route } from '../../../../http/route.ts';
import { bettingErrors } from '../../betting/errors.ts';
import { ACTION, configRoute, SHOW, START } from '../routes.ts';
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
    ...START,
    path: '/casino/games/house/mines/play',
    summary: 'Start a round of mines',
    body: MinesPlay,
    response: MinesBoard,
    handler: ({ caller, body }) => mines.play(caller, body),
  }),
  route({
    ...ACTION,
    path: '/casino/games/house/mines/open',
    summary: 'Open a cell',
    description: 'Answers `proceed` while the round goes on, `finished` when it is over.',
    body: MinesOpen,
    response: MinesOpened,
    handler: ({ caller, body }) => mines.open(caller, body),
  }),
  route({
    ...ACTION,
    path: '/casino/games/house/mines/cash-out',
    summary: 'End the round and be paid for the open cells',
    body: RoundAction,
    response: MinesResult,
    handler: ({ caller, body }) => mines.cashOut(caller, body),
  }),
  route({
    ...START,
    path: '/casino/games/house/mines/auto-spin',
    summary: 'Play a round in one step: the cells are opened in the given order',
    body: MinesAutoSpin,
    response: MinesResult,
    handler: ({ caller, body }) => mines.autoSpin(caller, body),
  }),
  route({
    ...SHOW,
    path: '/casino/games/house/mines/board',
    summary: 'The open round, to go on with',
    response: MinesBoard,
    errors: [bettingErrors.ROUND_NOT_FOUND],
    handler: ({ user }) => mines.board(user.id),
  }),
  configRoute('mines', { summary: 'Limits of mines', response: MinesConfig, read: () => mines.config() }),
];
