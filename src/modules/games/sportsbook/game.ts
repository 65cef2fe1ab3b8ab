import { sql } from 'kysely';
import type { Config } from '../../../platform/config.ts';
import type { DatabaseClock } from '../../../platform/database-clock.ts';
import type { Db } from '../../../platform/db.ts';
import type { Log } from '../../../platform/log.ts';
import { createMirror } from '../../../platform/mirror.ts';

type Deps = { db: Db; config: Config; databaseClock: DatabaseClock; log: Log };
type Game = { id: number; providerId: number; providerSlug: string; isPlayable: boolean };

export type SportsbookGame = ReturnType<typeof createSportsbookGame>;

/** The one game that all bets of the sportsbook are bets on, in memory: what staff switches off counts within a second. */
export function createSportsbookGame({ db, config, databaseClock, log }: Deps) {
  let game: Game | undefined;
  const mirror = createMirror({
    what: 'the sportsbook',
    channel: 'games_changed',
    read: () => readGame(db),
    apply: (read) => {
      game = read;
    },
    databaseClock,
    log,
  });
  return {
    async start(): Promise<void> {
      await name(db, config.SPORTSBOOK_SEGMENT);
      await mirror.start();
    },
    close: mirror.close,
    reload: mirror.reload,
    get(): Game {
      if (!game) throw new Error('the sportsbook was not read yet');
      return game;
    },
  };
}

/** Its provider has the slug of the configuration. */
const name = (db: Db, slug: string) =>
  sql`update game_providers p set slug = ${slug} from games g where g.type = 'SPORTSBOOK' and p.id = g.provider_id and p.slug <> ${slug}`.execute(
    db,
  );

const readGame = (db: Db): Promise<Game> =>
  db
    .selectFrom('games')
    .innerJoin('game_providers', 'game_providers.id', 'games.provider_id')
    .select([
      'games.id',
      'game_providers.id as providerId',
      'game_providers.slug as providerSlug',
      sql<boolean>`games.enabled and game_providers.enabled and games.removed_at is null`.as('isPlayable'),
    ])
    .where('games.type', '=', 'SPORTSBOOK')
    .executeTakeFirstOrThrow();
