import { sql } from 'kysely';
import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { emitEvent } from '../../base/events/service.ts';
import { getUser, sightOf, toShortPrivateUser } from '../../base/users/service.ts';
import { type Change, type Config, changeOf, shown } from './change.ts';
import { houseGameErrors } from './errors.ts';
import type { GameSlug, HouseGameSettings, KillSwitch, KillSwitchState } from './schemas.ts';
import { type HouseGame, type HouseGames, lockGames, readGames } from './settings.ts';

export type HouseGameAdministration = ReturnType<typeof createHouseGameAdministration>;

type AllSettings = z.output<typeof HouseGameSettings>;
type State = z.input<typeof KillSwitchState>;

/** What staff sets of the house games. A change counts for rounds that begin after it, in every process within a second. */
export function createHouseGameAdministration({ db, games }: { db: Db; games: Pick<HouseGames, 'reload'> }) {
  return {
    settings: async (): Promise<AllSettings> => allShown(await readGames(db)),

    /**
     * Sets the fields that are named of the games that are named. Throws 400 VALIDATION_FAILED, naming the fields; then nothing is
     * changed, of no game.
     */
    async change(by: StaffCall, body: AllSettings): Promise<AllSettings> {
      const answer = await transaction(db, async (tx) => {
        await applyAll(tx, by, body);
        return allShown(await readGames(tx));
      });
      await games.reload();
      return answer;
    },

    /** Stops a game (`enabled: true`) or lets it go on; open rounds may finish. Throws 404 GAME_NOT_FOUND. */
    async kill(
      by: StaffCall,
      slug: GameSlug,
      { enabled, reason }: z.output<typeof KillSwitch>,
    ): Promise<State> {
      const state = await transaction(db, async (tx) => {
        const [game] = await lockGames(tx, [slug]);
        const actor = await freshActor(tx, by);
        if (!game) throw houseGameErrors.GAME_NOT_FOUND({ game: slug });
        await write(tx, { game, enabled: !enabled, stored: {} });
        if (game.enabled === enabled) await tellOf(tx, [slug]);
        const { rows } = await sql<{ open: number; at: Date }>`
          select (case when ${slug} = 'speed-roulette'
            then (select count(*) from speed_rounds where phase in ('BETTING', 'WAITING') or settled_at is null)
            else (select count(*) from rounds where game_id = ${game.id}) end)::int as open, now() as at`.execute(
          tx,
        );
        const staff = toShortPrivateUser(await getUser(tx, by.user.id), sightOf(actor));
        const [before, after] = [{ [slug]: { enabled: game.enabled } }, { [slug]: { enabled: !enabled } }];
        await recordAudit(tx, by, { before, after, reason });
        return { game: slug, enabled, reason, openRounds: rows[0]!.open, by: staff, at: iso(rows[0]!.at) };
      });
      await games.reload();
      return state;
    },
  };
}

const allShown = (games: readonly HouseGame<GameSlug>[]): AllSettings =>
  Object.fromEntries(games.map((game) => [game.slug, shown(game)]));

async function applyAll(tx: Tx, by: StaffCall, body: AllSettings): Promise<void> {
  const games = await lockGames(tx, Object.keys(body) as GameSlug[]);
  await freshActor(tx, by);
  const changes = games.map((game) => changeOf(game, body[game.slug] as Config));
  const problems = changes.flatMap((change) => change.problems);
  if (problems.length > 0) throw commonErrors.VALIDATION_FAILED({ fields: problems.slice(0, 20) });
  const made = changes.filter(({ after }) => Object.keys(after).length > 0);
  if (made.length === 0) return;
  for (const change of made) await write(tx, change);
  await tellOf(
    tx,
    made.map(({ game }) => game.slug),
  );
  const byGame = (side: 'before' | 'after') =>
    Object.fromEntries(made.map((change) => [change.game.slug, change[side]]));
  await recordAudit(tx, by, { before: byGame('before'), after: byGame('after') });
}

/** Says that these games have other settings now, to be asked for. */
const tellOf = (tx: Tx, games: GameSlug[]) =>
  emitEvent(tx, { event: 'config.changed', data: { code: 'GAMES', games } });

type Stored = Pick<Change, 'game' | 'enabled' | 'stored'>;

/** A trigger on the table tells every process. */
async function write(tx: Tx, { game, enabled, stored }: Stored): Promise<void> {
  await tx
    .updateTable('games')
    .set({ enabled, settings: sql`settings || ${JSON.stringify(stored)}::jsonb` })
    .where('id', '=', game.id)
    .execute();
}
