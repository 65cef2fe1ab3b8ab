import { z } from 'zod';
import { type Route, remount, route } from '../../../http/route.ts';
import { commonErrors, listErrors } from '../../../platform/errors.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { sightOf } from '../../base/users/service.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { currencyErrors } from '../../money/currencies/errors.ts';
import { leaderboardErrors } from './errors.ts';
import {
  Cancellation,
  Leaderboard,
  LeaderboardPath,
  LeaderboardPrize,
  LeaderboardSchedule,
  LeaderboardUser,
  PrizeRequest,
  ScheduleChange,
  SchedulePath,
  SpecialRequest,
  StaffPage,
  StaffQuery,
  UserPage,
  UserPath,
  UserQuery,
} from './schemas.ts';
import type { Leaderboards } from './service.ts';

const tag = 'Admin Leaderboard';
const reading = { method: 'GET', tag, access: { permission: 'leaderboard.read' } } as const;
const writing = { method: 'POST', tag, access: { permission: 'leaderboard.write' }, gate: 'none' } as const;
const { LEADERBOARD_NOT_FOUND, LEADERBOARD_SCHEDULE_NOT_FOUND, LEADERBOARD_USER_NOT_FOUND } =
  leaderboardErrors;

const lists = (leaderboards: Leaderboards): Route[] => [
  route({
    ...reading,
    path: '/admin/leaderboards',
    summary: 'Leaderboards, by filter and in order',
    description: '`withUsers` adds the first 50 of each, `withSchedule` its schedule.',
    query: StaffQuery,
    response: StaffPage,
    errors: [listErrors.PAGE_TOO_DEEP],
    handler: ({ by, query }) => leaderboards.staff.lists.list(query, sightOf(by.user)),
  }),
  route({
    ...reading,
    path: '/admin/leaderboards/{leaderboardId}',
    summary: 'One leaderboard',
    params: LeaderboardPath,
    response: Leaderboard,
    errors: [LEADERBOARD_NOT_FOUND],
    handler: ({ params }) => leaderboards.staff.lists.one(params.leaderboardId),
  }),
  route({
    ...reading,
    path: '/admin/leaderboards/{leaderboardId}/users',
    summary: 'Who takes part, in the order of places',
    params: LeaderboardPath,
    query: UserQuery,
    response: UserPage,
    errors: [LEADERBOARD_NOT_FOUND],
    handler: ({ by, params, query }) =>
      leaderboards.staff.lists.users(params.leaderboardId, query, sightOf(by.user)),
  }),
  route({
    ...reading,
    path: '/admin/leaderboards/{leaderboardId}/users/{userId}',
    summary: 'One of those who take part',
    params: UserPath,
    response: LeaderboardUser,
    errors: [LEADERBOARD_NOT_FOUND, LEADERBOARD_USER_NOT_FOUND],
    handler: ({ by, params }) => leaderboards.staff.lists.user(params, sightOf(by.user)),
  }),
];

const schedules = (leaderboards: Leaderboards): Route[] => [
  route({
    ...reading,
    path: '/admin/leaderboards/schedule',
    summary: 'The schedules of leaderboards',
    response: z.array(LeaderboardSchedule),
    handler: () => leaderboards.staff.lists.schedules(),
  }),
  route({
    ...reading,
    path: '/admin/leaderboards/schedule/{id}',
    summary: 'One schedule with its latest runs',
    params: SchedulePath,
    response: LeaderboardSchedule,
    errors: [LEADERBOARD_SCHEDULE_NOT_FOUND],
    handler: ({ params }) => leaderboards.staff.lists.schedule(params.id),
  }),
  route({
    ...writing,
    path: '/admin/leaderboards/schedule/{id}',
    summary: 'Switch a schedule on or off and say what its next runs are like',
    description:
      'Runs that there are keep their settings. Switched on, it has a run from now to the end of the running period.',
    params: SchedulePath,
    body: ScheduleChange,
    response: LeaderboardSchedule,
    errors: [LEADERBOARD_SCHEDULE_NOT_FOUND, commonErrors.AMOUNT_OUT_OF_RANGE],
    handler: ({ by, params, body }) => leaderboards.staff.setSchedule(by, params.id, body),
  }),
];

const prizes = (leaderboards: Leaderboards): Route[] => [
  route({
    method: 'POST',
    path: '/admin/leaderboards/give-prize',
    tag,
    access: { permission: 'leaderboard.pay' },
    gate: 'staff',
    idempotent: true,
    summary: 'Give a winner the prize of their place, once',
    description: 'At the rate of now. The last prize finishes the leaderboard.',
    body: PrizeRequest,
    response: LeaderboardPrize,
    errors: [
      LEADERBOARD_NOT_FOUND,
      LEADERBOARD_USER_NOT_FOUND,
      leaderboardErrors.LEADERBOARD_NOT_FINISHED,
      leaderboardErrors.LEADERBOARD_PRIZE_PAID,
      leaderboardErrors.LEADERBOARD_NO_PRIZE,
      commonErrors.AMOUNT_OUT_OF_RANGE,
      commonErrors.CURRENCY_NOT_FOUND,
      currencyErrors.RATE_STALE,
      gateErrors.USER_BANNED,
      gateErrors.SELF_EXCLUDED,
      gateErrors.AUTH_GEO_BLOCKED,
      commonErrors.OWN_ACCOUNT,
      accessErrors.ACCOUNT_CONNECTED,
    ],
    handler: ({ by, body, idempotencyKey }) => leaderboards.staff.give(by, body, idempotencyKey),
  }),
];

/** Beyond the description, in the main API alone. */
const special = (leaderboards: Leaderboards): Route[] => [
  route({
    ...writing,
    path: '/admin/leaderboards',
    summary: 'Make a leaderboard beside the schedules',
    body: SpecialRequest,
    response: Leaderboard,
    errors: [commonErrors.CURRENCY_NOT_FOUND, commonErrors.AMOUNT_OUT_OF_RANGE],
    handler: ({ by, body }) => leaderboards.staff.createSpecial(by, body),
  }),
  route({
    ...writing,
    path: '/admin/leaderboards/{leaderboardId}/cancel',
    summary: 'Cancel a leaderboard that has not ended: nobody wins anything',
    params: LeaderboardPath,
    body: Cancellation,
    response: Leaderboard,
    errors: [LEADERBOARD_NOT_FOUND, leaderboardErrors.LEADERBOARD_STATUS_CONFLICT],
    handler: ({ by, params, body }) => leaderboards.staff.cancel(by, params.leaderboardId, body),
  }),
];

const described = (leaderboards: Leaderboards): Route[] => [
  ...schedules(leaderboards),
  ...prizes(leaderboards),
  ...lists(leaderboards),
];

export const leaderboardStaffRoutes = (leaderboards: Leaderboards): Route[] => [
  ...described(leaderboards),
  ...special(leaderboards),
];

export const leaderboardBackofficeRoutes = (leaderboards: Leaderboards): Route[] =>
  remount(described(leaderboards), { without: '/admin', tag: 'Leaderboard' });
