import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { text } from '../../../http/schemas.ts';
import { holds, sightOf } from '../../base/users/service.ts';
import { findBets } from './bets.ts';
import { findGames, findPromotions } from './catalogue.ts';
import { type Find, KINDS, type Kind, type SearchDeps, SearchResult } from './hits.ts';
import { findDeposits, findWithdrawals } from './payments.ts';
import { findPlayers } from './players.ts';
import { termOf } from './rules.ts';

const FINDERS: Readonly<Record<Kind, Find>> = {
  player: findPlayers,
  withdrawal: findWithdrawals,
  deposit: findDeposits,
  bet: findBets,
  game: findGames,
  promotion: findPromotions,
};

export const search = operation({
  method: 'GET',
  path: '/admin/search',
  tag: 'Admin Search',
  access: { anyOf: Object.values(KINDS) },
  summary: 'Search players, payments, bets and games',
  description:
    'Finds players by id or the beginning of their username; withdrawals and deposits by id or transaction hash; bets by id or the ' +
    "provider's id of their round or transaction; games by name or slug; promotions by id, name or code. With the permission " +
    '`user.pii`, it also finds players by the beginning of their email address, by the IP address of a session or of the sign-up, ' +
    'and by the address of their deposits or withdrawals. A kind is searched only if the caller may list it: `user.read`, ' +
    '`withdraw.read`, `deposit.read`, `bet.read`, `casino.read`, `promo.read`. Kinds without hits are omitted. The audit log ' +
    'contains each search.',
  query: z.strictObject({
    q: text(200).min(1).meta({ example: 'alex' }),
    take: z
      .number()
      .int()
      .min(1)
      .max(20)
      .default(5)
      .meta({ description: 'The maximum number of hits of each kind.' }),
  }),
  response: SearchResult,
  handler: async (deps: SearchDeps, { by, query: { q, take } }) => {
    const term = termOf(q);
    if (!term) return { groups: [] };
    const wanted = { term, most: take + 1, sight: sightOf(by.user) };
    const kinds = (Object.keys(KINDS) as Kind[]).filter((kind) => holds(by.user, KINDS[kind]));
    const groups = await Promise.all(
      kinds.map(async (kind) => {
        const hits = await FINDERS[kind](deps, wanted);
        const shown = hits.slice(0, take).map((hit) => ({ kind, ...hit }));
        return { kind, hits: shown, hasMore: hits.length > take };
      }),
    );
    return { groups: groups.filter(({ hits }) => hits.length > 0) };
  },
});
