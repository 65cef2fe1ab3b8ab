import { sql } from 'kysely';
import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { type Page, pageOf } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config.ts';
import type { DatabaseClock } from '../../../platform/database-clock.ts';
import type { Db } from '../../../platform/db.ts';
import type { Log } from '../../../platform/log.ts';
import { shortUsers, sightOf } from '../../base/users/service.ts';
import { NO_SCENERY } from '../../games/bets/live.ts';
import type { Catalogue } from '../../games/casino/service.ts';
import { botActivityErrors } from './errors.ts';
import { createMaking, type MakeDeps } from './make.ts';
import { change, put, toggle } from './manage.ts';
import { type ActivityRow, countActivities, findActivity, listActivities } from './queries.ts';
import { timeOf } from './rules.ts';
import { createScenery } from './scenery.ts';
import type {
  BotActivity,
  BotActivityChange,
  BotActivityQuery,
  BotToggle,
  NewBotActivity,
} from './schemas.ts';
import { createActivityState } from './state.ts';

export type BotActivities = ReturnType<typeof createBotActivities>;

type Shown = z.input<typeof BotActivity>;
type Deps = Omit<MakeDeps, 'state' | 'thresholds'> & {
  /** For what staff reads, which may be a little old. */
  reads: Db;
  databaseClock: DatabaseClock;
  log: Log;
  config: Pick<Config, 'BOT_ACTIVITY' | 'LIVE_BETS_HIGH_ROLLER_USD' | 'LIVE_BETS_LUCKY_MULTIPLIER'>;
  catalogue: Catalogue;
};

/** How long rows are kept. */
const KEEP = sql`interval '1 hour'`;

/**
 * Scenery of the live feed: rows that say that nobody has played them. They are never bets, and touch no money, statistic, seed or nonce.
 * Where it is switched off nothing is made, read or shown.
 */
export function createBotActivities(deps: Deps) {
  const { db, reads, config, catalogue } = deps;
  const isOn = config.BOT_ACTIVITY === 'disclosed';
  const state = createActivityState(deps);
  const thresholds = {
    highRollerUsd: config.LIVE_BETS_HIGH_ROLLER_USD,
    luckyMultiplier: config.LIVE_BETS_LUCKY_MULTIPLIER,
  };
  const managing = { db, isOn, catalogue };
  /** This process knows before the answer. */
  const changed = async (by: StaffCall, work: Promise<ActivityRow>): Promise<Shown> => {
    const row = await work;
    if (isOn) await state.reload();
    return (await shown(db, by, [row]))[0]!;
  };
  return {
    start: async () => void (isOn && (await state.start())),
    close: state.close,
    scenery: isOn ? createScenery({ db, beside: catalogue.beside, state }) : NO_SCENERY,
    isOn,
    /** Whether there is anything to make: from memory. */
    isDue: () => isOn && state.isWatched() && state.playing().length > 0,
    make: createMaking({ ...deps, state, thresholds }),

    /** Removes rows that are too old to be shown. */
    async purge(): Promise<void> {
      await sql`delete from simulated_bets where created_at < now() - ${KEEP}`.execute(db);
    },

    put: (by: StaffCall, request: z.output<typeof NewBotActivity>) => changed(by, put(managing, by, request)),
    change: (by: StaffCall, request: z.output<typeof BotActivityChange>) =>
      changed(by, change(managing, by, request)),
    async toggle(by: StaffCall, request: z.output<typeof BotToggle>): Promise<void> {
      await toggle(db, by, request);
      if (isOn) await state.reload();
    },

    async list(by: StaffCall, query: z.output<typeof BotActivityQuery>): Promise<Page<Shown>> {
      const total = await countActivities(reads, query);
      return pageOf(query, total, async (offset) =>
        shown(reads, by, await listActivities(reads, query, offset)),
      );
    },

    /** Throws 404 BOT_ACTIVITY_NOT_FOUND. */
    async get(by: StaffCall, id: string): Promise<Shown> {
      const row = await findActivity(db, id);
      if (!row) throw botActivityErrors.BOT_ACTIVITY_NOT_FOUND();
      return (await shown(db, by, [row]))[0]!;
    },
  };
}

async function shown(db: Db, by: StaffCall, rows: readonly ActivityRow[]): Promise<Shown[]> {
  const users = await shortUsers(
    db,
    rows.map((row) => row.user_id),
    sightOf(by.user),
  );
  return rows.map((row) => ({
    id: row.id,
    userId: row.user_id,
    user: users.get(row.user_id)!,
    type: row.type,
    behavior: row.behavior,
    playDays: row.play_days,
    isActive: row.is_active,
    games: row.games,
    startTime: timeOf(row.start_minute),
    lastRunAt: row.last_run_at && iso(row.last_run_at),
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  }));
}
