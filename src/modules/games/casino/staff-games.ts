import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { page, paginated, text } from '../../../http/schemas.ts';
import { Category, GameType } from '../bets/schemas.ts';
import type { Game } from './queries.ts';
import { byText, dayOf, fold, pageIn, shuffled } from './rules.ts';
import {
  casinoErrors,
  GAME_ORDERS,
  GameAdmin,
  NamePart,
  ProviderId,
  pageFields,
  SlugPath,
} from './schemas.ts';
import type { CasinoDeps } from './service.ts';
import { getStaffGame, toStaffGame } from './staff-view.ts';
import type { Played } from './state.ts';
import { matchesFilter } from './visible.ts';

const read = { method: 'GET', tag: 'Admin Casino', access: { permission: 'casino.read' } } as const;

const Query = z.strictObject({
  id: z.number().int().min(1).max(2_147_483_647).optional(),
  category: Category.optional(),
  type: GameType.optional(),
  providerId: ProviderId.optional(),
  enabled: z.boolean().optional(),
  givesFreeSpins: z.boolean().optional(),
  withInfo: z.boolean().optional(),
  slug: text(64).optional(),
  name: NamePart,
  sortBy: z.enum(GAME_ORDERS).default('addedAt'),
  ...pageFields,
});
type Query = z.output<typeof Query>;

export const listAllGames = operation({
  ...read,
  path: '/admin/casino/games/all',
  summary: 'List all games, including hidden ones',
  description:
    '`name` matches a part of the name, and `slug` a complete slug. `lastPlayed` is the time of the last bet of any player. ' +
    '`givesFreeSpins` selects games of which promotions can give free spins.',
  query: Query,
  response: page(GameAdmin),
  handler: (deps: CasinoDeps, { user, query }) => findGames(deps, user.id, query),
});

export const getGameAsStaff = operation({
  ...read,
  path: '/admin/casino/games/{slug}',
  summary: 'Get a game with its settings',
  params: SlugPath,
  response: GameAdmin,
  errors: [casinoErrors.GAME_NOT_FOUND],
  handler: (deps: CasinoDeps, { params }) => getStaffGame(deps, params.slug),
});

async function findGames(deps: CasinoDeps, userId: number, query: Query) {
  const played = await deps.catalogue.played.now();
  const { id, slug, enabled, givesFreeSpins, withInfo = false, sortBy, sortOrder } = query;
  const name = query.name === undefined ? undefined : fold(query.name);
  const matching = deps.catalogue.state
    .now()
    .games.filter(
      (game) =>
        matchesFilter(game, { ...query, name }) &&
        (id === undefined || game.id === id) &&
        (slug === undefined || game.slug === slug) &&
        (enabled === undefined || game.enabled === enabled) &&
        (givesFreeSpins === undefined || deps.givesFreeSpins(game) === givesFreeSpins),
    );
  const rows =
    sortBy === 'random'
      ? shuffled(matching, { userId, day: dayOf(deps.databaseClock.now()) })
      : matching.sort(ascending(sortBy, played));
  const promos = await deps.promosForSomeGames();
  const found = pageIn(rows, query, sortOrder === 'desc').map((game) =>
    toStaffGame(deps, game, { played, withInfo, promos }),
  );
  return paginated(found, query, rows.length);
}

function ascending(by: Exclude<Query['sortBy'], 'random'>, played: Played) {
  const value = (game: Game): number => {
    if (by === 'addedAt') return game.addedAt.getTime();
    if (by === 'lastPlayed') return played.lastPlayed.get(game.id)?.getTime() ?? 0;
    return played.players.get(game.id) ?? 0;
  };
  return (a: Game, b: Game): number =>
    (by === 'name' ? byText(a.folded, b.folded) : value(a) - value(b)) || a.id - b.id;
}
