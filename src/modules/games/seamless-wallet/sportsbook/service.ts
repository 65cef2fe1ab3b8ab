import { sql } from 'kysely';
import type { Config } from '../../../../platform/config/config.ts';
import type { Db } from '../../../../platform/database/db.ts';
import type { BetGame } from '../engine/draft.ts';
import { createSigningKeys } from './keys.ts';

type Deps = {
  db: Db;
  config: Config;
  bettable: { get(id: number): BetGame | undefined };
};

export type Sportsbook = ReturnType<typeof createSportsbook>;

/** The parts of the sportsbook that keep state: its game and its signing keys. */
export const createSportsbook = (deps: Deps) => ({
  game: createGame(deps),
  keys: createSigningKeys(deps),
});

/** The single game of all sportsbook bets. Staff settings for it apply within a second. */
function createGame({ db, config, bettable }: Deps) {
  const providerSlug = config.SPORTSBOOK_SEGMENT;
  let known: { id: number; providerId: number } | undefined;
  return {
    async start(): Promise<void> {
      await name(db, providerSlug);
      known = await readGame(db);
    },
    get(): BetGame & { providerId: number; providerSlug: string } {
      const game = known && bettable.get(known.id);
      if (!known || !game) throw new Error('the sportsbook game is not loaded yet');
      return { ...game, providerId: known.providerId, providerSlug };
    },
  };
}

/** Gives the sportsbook's provider the configured slug. */
const name = (db: Db, slug: string) =>
  sql`update game_providers p set slug = ${slug} from games g where g.type = 'SPORTSBOOK' and p.id = g.provider_id and p.slug <> ${slug}`.execute(
    db,
  );

/** Reads ids that never change. */
const readGame = (db: Db) =>
  db
    .selectFrom('games')
    .select(['id', 'provider_id as providerId'])
    .where('type', '=', 'SPORTSBOOK')
    .executeTakeFirstOrThrow();
