import { route } from '../../../../http/route.ts';
import { page } from '../../../../http/schemas.ts';
import { casinoErrors } from '../errors.ts';
import {
  CommissionChange,
  CommissionPath,
  CommissionQuery,
  CommissionRemoval,
  EffectiveCommission,
  EffectiveQuery,
  GgrCommissionRule,
} from './schemas.ts';
import type { Commission } from './service.ts';

const path = '/admin/casino/games/commission';
const tag = 'Admin Casino';
const read = { method: 'GET', tag, access: { permission: 'casino.read' } } as const;
const write = { path, tag, access: { permission: 'casino.write' }, gate: 'none' } as const;
const { GAME_NOT_FOUND, PROVIDER_NOT_FOUND, COMMISSION_EXISTS, COMMISSION_NOT_FOUND } = casinoErrors;

export const commissionStaffRoutes = (commission: Commission) => [
  route({
    ...write,
    method: 'PUT',
    summary: 'Make a commission rule, for bets from now on',
    description: 'Category or game null: the rule covers all of them. The most specific rule holds.',
    body: CommissionChange,
    response: GgrCommissionRule,
    errors: [PROVIDER_NOT_FOUND, GAME_NOT_FOUND, COMMISSION_EXISTS],
    handler: ({ by, body }) => commission.create(by, body),
  }),
  route({
    ...write,
    method: 'PATCH',
    summary: 'Change the commission rule of this provider, category and game, for bets from now on',
    body: CommissionChange,
    response: GgrCommissionRule,
    errors: [COMMISSION_NOT_FOUND],
    handler: ({ by, body }) => commission.change(by, body),
  }),
  route({
    ...write,
    method: 'DELETE',
    summary: 'Remove a commission rule',
    body: CommissionRemoval,
    errors: [COMMISSION_NOT_FOUND],
    handler: ({ by, body }) => commission.remove(by, body),
  }),
  route({
    ...read,
    path,
    summary: 'Commission rules',
    description: '`category=null` and `gameId=null` find the rules that cover all of them.',
    query: CommissionQuery,
    response: page(GgrCommissionRule),
    handler: ({ query }) => commission.list(query),
  }),
  route({
    ...read,
    path: `${path}/effective`,
    summary: 'Which commission holds for a game, and why',
    query: EffectiveQuery,
    response: EffectiveCommission,
    errors: [GAME_NOT_FOUND],
    handler: ({ query }) => commission.effective(query.slug),
  }),
  route({
    ...read,
    path: `${path}/{id}`,
    summary: 'One commission rule',
    params: CommissionPath,
    response: GgrCommissionRule,
    errors: [COMMISSION_NOT_FOUND],
    handler: ({ params }) => commission.get(params.id),
  }),
];
