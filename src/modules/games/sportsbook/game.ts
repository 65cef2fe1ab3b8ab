import { sql } from 'kysely';
import type { Config } from '../../../platform/config.ts';
import type { Db } from '../../../platform/db.ts';
import type { Bettable } from '../casino/bettable.ts';

type Deps = {
  db: Db;
  config: Pick<Config, 'SPORTSBOOK_SEGMENT'>;
  games: { get(id: number): Bettable | undefined };
};

export type SportsbookGame = ReturnType<typeof createSportsbookGame>;

/** The one game that all bets of the sportsbook are bets on: what staff switches off counts within a second. */
export function createSportsbookGame({ db, config, games }: Deps) {
  const providerSlug = config.SPORTSBOOK_SEGMENT;
  let known: { id: number; providerId: number } | undefined;
  return {
    async start(): Promise<void> {
      await name(db, providerSlug);
      known = await readGame(db);
    },
    get(): Bettable & { providerId: number; providerSlug: string } {
      const game = known && games.get(known.id);
      if (!known || !game) throw new Error('the sportsbook was not read yet');
      return { ...game, providerId: known.providerId, providerSlug };
    },
  };
}

/** Its provider has the slug of the configuration. */
const name = (db: Db, slug: string) =>
  sql`update game_providers p set slug = ${slug} from games g where g.type = 'SPORTSBOOK' and p.id = g.provider_id and p.slug <> ${slug}`.execute(
    db,
  );

/** Neither of these ever changes. */
const readGame = (db: Db) =>
  db
    .selectFrom('games')
    .select(['id', 'provider_id as providerId'])
    .where('type', '=', 'SPORTSBOOK')
    .executeTakeFirstOrThrow();
