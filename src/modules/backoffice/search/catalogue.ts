import { sql } from 'kysely';
import type { DbOrTx } from '../../../platform/database/db.ts';
import { beginningWith } from '../../base/users/rules.ts';
import { byText, fold } from '../../games/casino/rules.ts';
import { nameOf } from '../../games/casino/view.ts';
import type { Hit, SearchDeps, Wanted } from './hits.ts';

type Game = ReturnType<SearchDeps['catalogue']['state']['now']>['games'][number];

/** Shorter texts match only the beginning of a game's name, because sorting thousands of matches would block the process. */
const MIN_PART = 3;

/** Finds games by id, slug or part of the name. The catalogue is in memory. Names that begin with the term come first. */
export function findGames({ catalogue, config }: SearchDeps, { term, most }: Wanted): Hit[] {
  const { name } = term;
  if (name === undefined) return [];
  const { games, providers } = catalogue.state.now();
  const part = fold(name);
  const rankOf = ({ id, slug, folded }: Game): number => {
    if (id === term.id || slug === name) return 0;
    if (folded.startsWith(part)) return 1;
    const isInside = part.length >= MIN_PART && folded.includes(part);
    return isInside || slug.startsWith(name) ? 2 : 3;
  };
  return games
    .map((game) => ({ game, rank: rankOf(game) }))
    .filter(({ rank }) => rank < 3)
    .sort((a, b) => a.rank - b.rank || byText(a.game.folded, b.game.folded) || a.game.id - b.game.id)
    .slice(0, most)
    .map(({ game }) => ({
      id: game.slug,
      title: game.name,
      subtitle: nameOf(providers.get(game.providerId)!, config.BRAND_NAME),
      state: stateOf(game),
    }));
}

function stateOf({ enabled, removedAt }: Game): string | null {
  if (removedAt !== null) return 'REMOVED';
  return enabled ? null : 'DISABLED';
}

type Promotion = { id: bigint; name: string; type: string; status: string; code: string | null };

/** Finds promotions by id, part of the name, or the beginning of a code. Promotions with a matching code come first, then the newest. */
export async function findPromotions({ reads }: SearchDeps, { term, most }: Wanted): Promise<Hit[]> {
  const { name: text, id: number } = term;
  if (text === undefined) return [];
  const rows = await readPromotions(reads, { text, id: number }, most);
  return rows.map(({ id, name, type, status, code }) => ({
    id: String(id),
    title: name,
    subtitle: code ?? type,
    state: status,
  }));
}

/** The number of codes that are read. Many codes may belong to one promotion. */
const MAX_CODES = 200;

async function readPromotions(
  db: DbOrTx,
  { text, id }: { text: string; id: number | undefined },
  most: number,
): Promise<Promotion[]> {
  const { rows } = await sql<Promotion>`
    with by_code as (
      select distinct on (promo_id) promo_id, code from (
        select promo_id, code, key from promo_codes where key like ${beginningWith(text)} order by key limit ${sql.lit(MAX_CODES)}
      ) codes order by promo_id, key
    )
    select p.id, p.name, p.type, p.status, c.code from promos p left join by_code c on c.promo_id = p.id
    where c.promo_id is not null or p.id = ${id ?? null} or strpos(lower(p.name), ${text}) > 0
    order by (c.code is null), p.id desc limit ${most}`.execute(db);
  return rows;
}
