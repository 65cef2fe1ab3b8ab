import { route } from '../../../http/route.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { userErrors } from '../../base/users/errors.ts';
import { botActivityErrors } from './errors.ts';
import {
  BotActivity,
  BotActivityChange,
  BotActivityPage,
  BotActivityPath,
  BotActivityQuery,
  BotToggle,
  NewBotActivity,
} from './schemas.ts';
import type { BotActivities } from './service.ts';

const tag = 'BotActivity';
const read = { method: 'GET', tag, access: { permission: 'bot.read' } } as const;
const write = { tag, access: { permission: 'bot.write' }, gate: 'none' } as const;
const manage = { ...write, path: '/admin/bot-activity/manage', response: BotActivity } as const;
const { BOT_ACTIVITY_NOT_FOUND, BOT_ACTIVITY_DISABLED, BOT_ACCOUNT_NEEDED } = botActivityErrors;
const managing = [userErrors.USER_NOT_FOUND, commonErrors.OWN_ACCOUNT];

export const botActivityStaffRoutes = (bots: BotActivities) => [
  route({
    ...read,
    path: '/admin/bot-activity/all',
    summary: 'Activity of bots, by filter and in order',
    query: BotActivityQuery,
    response: BotActivityPage,
    handler: ({ by, query }) => bots.list(by, query),
  }),
  route({
    ...read,
    path: '/admin/bot-activity/one/{id}',
    summary: 'The activity of one bot',
    params: BotActivityPath,
    response: BotActivity,
    errors: [BOT_ACTIVITY_NOT_FOUND],
    handler: ({ by, params }) => bots.get(by, params.id),
  }),
  route({
    ...manage,
    method: 'POST',
    summary: 'Say how a bot seems to play, in place of what was said before',
    description:
      'Scenery of the live feed, in which it says so (`isSimulated`): rows are made while somebody looks, and nothing else follows from them.',
    body: NewBotActivity,
    errors: [...managing, BOT_ACTIVITY_DISABLED, BOT_ACCOUNT_NEEDED],
    handler: ({ by, body }) => bots.put(by, body),
  }),
  route({
    ...manage,
    method: 'PATCH',
    summary: 'Change how a bot seems to play; what is not named stays',
    body: BotActivityChange,
    errors: [...managing, BOT_ACTIVITY_NOT_FOUND, BOT_ACTIVITY_DISABLED, BOT_ACCOUNT_NEEDED],
    handler: ({ by, body }) => bots.change(by, body),
  }),
  route({
    ...write,
    method: 'PATCH',
    path: '/admin/bot-activity/bot-toggle',
    summary: 'Make an account that of a bot, or a player’s again',
    description:
      'Of accounts that nobody has used; BOT_ACCOUNT_IN_USE says in `details.use` how one was: RIGHTS, SIGN_IN, API_KEY, DEPOSIT, BET, PROMO, AFFILIATE, MONEY. Nobody signs in with the account of a bot, and it is given no money, no rights and no key. POST /admin/user/admin-user without permissions opens an account that nobody has used.',
    body: BotToggle,
    errors: [...managing, botActivityErrors.BOT_ACCOUNT_IN_USE],
    handler: ({ by, body }) => bots.toggle(by, body),
  }),
];
