import { z } from 'zod';
import type { Permission } from '../../../http/access.ts';
import { object } from '../../../http/schemas.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Sight } from '../../base/users/service.ts';
import type { Catalogue } from '../../games/casino/service.ts';
import type { Term } from './rules.ts';

/** The kinds of hits, in the order of the response, and the permission that each of them requires. */
export const KINDS = {
  player: 'user.read',
  withdrawal: 'withdraw.read',
  deposit: 'deposit.read',
  bet: 'bet.read',
  game: 'casino.read',
  promotion: 'promo.read',
} as const satisfies Readonly<Record<string, Permission>>;
export type Kind = keyof typeof KINDS;

const Kinds = z.enum(Object.keys(KINDS) as [Kind, ...Kind[]]);

const SearchHit = object('SearchHit', {
  kind: Kinds,
  id: z
    .string()
    .meta({ description: 'The id in the address of the object: the slug of a game, otherwise its id.' }),
  title: z.string().meta({ example: '250 USDT' }),
  subtitle: z.string().nullable().meta({
    description:
      "A player's email address, the player of a payment or bet, a game's provider, or a promotion's code or type.",
  }),
  state: z
    .string()
    .nullable()
    .meta({
      description:
        'The status of a payment, bet or promotion. BANNED, SELF_EXCLUDED, STAFF or BOT for a player, and REMOVED or DISABLED for a game, ' +
        'otherwise null.',
    }),
});
export type Hit = Omit<z.input<typeof SearchHit>, 'kind'>;

const SearchGroup = object('SearchGroup', {
  kind: Kinds,
  hits: z.array(SearchHit),
  hasMore: z.boolean().meta({ description: 'True if more objects of this kind match.' }),
});

export const SearchResult = object('SearchResult', { groups: z.array(SearchGroup) });

export type SearchDeps = {
  /** The database that is searched. Its data may be slightly out of date. */
  reads: Db;
  config: Pick<Config, 'BRAND_NAME'>;
  catalogue: Pick<Catalogue, 'state'>;
};

/** `most` is the maximum number of hits. */
export type Wanted = { term: Term; most: number; sight: Sight };
/** Finds the hits of one kind, the best first. It queries only what the term can be. */
export type Find = (deps: SearchDeps, wanted: Wanted) => Hit[] | Promise<Hit[]>;
