import { sql } from 'kysely';
import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { object, strictObject, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { emitEvent } from '../../base/events/service.ts';
import { siteEvents } from '../../base/site-config/schemas.ts';
import { ShortPrivateUser } from '../../base/users/schemas.ts';
import { getUser, sightOf, toShortPrivateUser } from '../../base/users/service.ts';
import { GAMES, type GameSlug } from './schemas.ts';
import {
  type Change,
  type Config,
  changeOf,
  type HouseGame,
  type HouseGames,
  houseGameErrors,
  lockGames,
  readGames,
  toConfig,
} from './settings.ts';

type Deps = { db: Db; games: Pick<HouseGames, 'reload'> };

const tag = 'Admin Casino';

const TimeConfig = strictObject('SpeedRouletteTimeConfig', {
  bettingMs: z.number(),
  waitingMs: z.number(),
  resultMs: z.number(),
});

const OpenObject = z.record(z.string(), z.unknown());

/** The fields of all games. The settings of each game define its fields and their bounds. */
const HouseGameConfig = strictObject('HouseGameConfig', {
  enabled: z.boolean().optional(),
  rtp: z.number().optional(),
  minBet: z.number().optional().meta({ description: 'US dollars' }),
  maxBet: z.number().optional().meta({ description: 'US dollars' }),
  maxProfit: z.number().optional().meta({ description: 'US dollars' }),
  minMultiplier: z.number().optional(),
  maxMultiplier: z.number().optional(),
  manualMs: z.number().optional(),
  autoMs: z.number().optional(),
  multipliers: OpenObject.optional(),
  difficulties: OpenObject.optional(),
  timeConfig: TimeConfig.optional(),
});

/** The settings of each game. */
const HouseGameSettings = strictObject(
  'HouseGameSettings',
  Object.fromEntries(GAMES.map((game) => [game, HouseGameConfig.optional()])) as {
    [S in GameSlug]: z.ZodOptional<typeof HouseGameConfig>;
  },
);

type AllSettings = z.output<typeof HouseGameSettings>;

export const getSettings = operation({
  method: 'GET',
  path: '/admin/casino/games/house/settings',
  tag,
  access: { permission: 'casino.read' },
  summary: 'Get the settings of the house games',
  response: HouseGameSettings,
  handler: async ({ db }: Deps) => toAllSettings(await readGames(db)),
});

export const changeSettings = operation({
  method: 'POST',
  path: '/admin/casino/games/house/settings',
  tag,
  access: { permission: 'casino.write' },
  gate: 'none',
  stepUp: true,
  summary: 'Change settings of house games for new rounds',
  description:
    'Sets the given fields and returns the settings of all games. If one field is invalid, nothing changes. Every process applies the change ' +
    'within a second.',
  body: HouseGameSettings,
  response: HouseGameSettings,
  handler: async ({ db, games }: Deps, { by, body }) => {
    const settings = await transaction(db, async (tx) => {
      await applyAll(tx, by, body);
      return toAllSettings(await readGames(tx));
    });
    await games.reload();
    return settings;
  },
});

const KillSwitch = z.strictObject({ enabled: z.boolean(), reason: z.string().trim().min(1).max(500) });

const KillSwitchState = object('KillSwitchState', {
  game: z.string(),
  enabled: z.boolean(),
  reason: z.string(),
  openRounds: z.number().int(),
  by: ShortPrivateUser,
  at: Timestamp,
});

export const setKillSwitch = operation({
  method: 'POST',
  path: '/admin/casino/games/house/{game}/kill-switch',
  tag,
  access: { permission: 'casino.write' },
  gate: 'none',
  summary: 'Stop or resume a house game',
  description: '`enabled: true` stops the game. Players may finish their open rounds.',
  params: z.object({ game: z.enum(GAMES) }),
  body: KillSwitch,
  response: KillSwitchState,
  errors: [houseGameErrors.GAME_NOT_FOUND],
  handler: async ({ db, games }: Deps, { by, params: { game: slug }, body: { enabled, reason } }) => {
    const state = await transaction(db, async (tx) => {
      const [game] = await lockGames(tx, [slug]);
      const actor = await freshActor(tx, by);
      if (!game) throw houseGameErrors.GAME_NOT_FOUND({ game: slug });
      await write(tx, { game, enabled: !enabled, stored: {} });
      if (game.enabled === enabled) await announceChange(tx, [slug]);
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
});

const toAllSettings = (games: readonly HouseGame<GameSlug>[]): AllSettings =>
  Object.fromEntries(games.map((game) => [game.slug, toConfig(game)]));

async function applyAll(tx: Tx, by: StaffCall, body: AllSettings): Promise<void> {
  const games = await lockGames(tx, Object.keys(body) as GameSlug[]);
  await freshActor(tx, by);
  const changes = games.map((game) => changeOf(game, body[game.slug] as Config));
  const problems = changes.flatMap((change) => change.problems);
  if (problems.length > 0) throw commonErrors.VALIDATION_FAILED({ fields: problems.slice(0, 20) });
  const made = changes.filter(({ after }) => Object.keys(after).length > 0);
  if (made.length === 0) return;
  for (const change of made) await write(tx, change);
  await announceChange(
    tx,
    made.map(({ game }) => game.slug),
  );
  const byGame = (side: 'before' | 'after') =>
    Object.fromEntries(made.map((change) => [change.game.slug, change[side]]));
  await recordAudit(tx, by, { before: byGame('before'), after: byGame('after') });
}

/** Emits the settings-changed event for these games. */
const announceChange = (tx: Tx, games: GameSlug[]) =>
  emitEvent(tx, { event: siteEvents['config.changed'], data: { code: 'GAMES', games } });

type Stored = Pick<Change, 'game' | 'enabled' | 'stored'>;

/** A trigger on the table notifies every process. */
async function write(tx: Tx, { game, enabled, stored }: Stored): Promise<void> {
  await tx
    .updateTable('games')
    .set({ enabled, settings: sql`settings || ${JSON.stringify(stored)}::jsonb` })
    .where('id', '=', game.id)
    .execute();
}
