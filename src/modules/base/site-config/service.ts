import { sql } from 'kysely';
import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import type { Config } from '../../../platform/config.ts';
import type { DatabaseClock } from '../../../platform/database-clock.ts';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import { createMirror } from '../../../platform/mirror.ts';
import { type Units, units } from '../../../platform/money.ts';
import { freshActor } from '../access/service.ts';
import { recordAudit } from '../audit/service.ts';
import { siteConfigErrors } from './errors.ts';
import { createPublicConfig, emitChanges, type ListedCurrencies } from './public.ts';
import { SECTIONS } from './rewards/schemas.ts';
import {
  CONFLICTS,
  changedFields,
  minStakeOf,
  minStakeProblems,
  type Problem,
  pick,
  withChanges,
} from './rules.ts';
import { CONFIGS, type ConfigCode, type ConfigOf, completed, defaultsOf } from './schemas.ts';
import { show } from './show.ts';

export type SiteConfig = ReturnType<typeof createSiteConfig>;

/** Settings of a code as they hold from a time on. */
export type ConfigVersion<T> = { version: number; since: Date; config: T };

type Fields = Record<string, unknown>;

const SECTION_NAMES = Object.keys(SECTIONS);

const CHANNEL = 'site_config_changed';

/** What superadmins set while the platform runs, by code; every process has it in memory and hears of changes. */
export function createSiteConfig(parts: {
  db: Db;
  databaseClock: DatabaseClock;
  log: Log;
  config: Config;
  currencies: ListedCurrencies;
}) {
  const { db, databaseClock, log, config, currencies } = parts;
  let known = completedAll(new Map());
  const mirror = createMirror({
    what: 'site configuration',
    channel: CHANNEL,
    read: () => readAll(db),
    apply: (read) => {
      known = read;
    },
    databaseClock,
    log,
  });
  const get = <C extends ConfigCode>(code: C): ConfigOf<C> => known[code] as ConfigOf<C>;
  return {
    start: mirror.start,
    close: mirror.close,

    /** From memory: ask each time, keep nothing. */
    get,

    /** The lowest that a threshold was within the last 24 hours, whatever it is now: what it asks for is not waived by raising it first. */
    lowestOfDay: (db: DbOrTx, field: 'adjustmentApprovalUsd'): Promise<Units> => lowestOfDay(db, field),

    versionsAfter,

    /** Throws 403 REGISTRATION_CLOSED while nobody new is taken in. */
    assertRegistrationOpen(): void {
      if (!get('COMMON').isRegistrationOpen) throw siteConfigErrors.REGISTRATION_CLOSED();
    },

    /** What anybody may read of a code. */
    publicView: createPublicConfig({ get, config, currencies }),

    /** The least that may be staked in a currency. */
    minStakeOf: (currency: { id: string; decimals: number }): Units =>
      minStakeOf(currency, get('COMMON').minStakes),

    show: (by: StaffCall, code: ConfigCode) => show(db, by, code),

    /**
     * Sets the named fields (in sections too) and answers all of them. Throws 400 VALIDATION_FAILED, naming the fields, for unknown ones, values out
     * of bounds and fields that contradict each other.
     */
    async change(by: StaffCall, code: ConfigCode, fields: Fields): Promise<Fields> {
      const named = readFields(code, fields);
      refuse(stakeProblems(named as Partial<ConfigOf<'COMMON'>>, currencies));
      const config = await transaction(db, (tx) => write(tx, by, code, named));
      await mirror.reload();
      return config;
    },
  };
}

async function write(tx: Tx, by: StaffCall, code: ConfigCode, named: Fields): Promise<Fields> {
  const first = { code, config: JSON.stringify(defaultsOf(code)), version: 0 };
  await tx
    .insertInto('site_config')
    .values(first)
    .onConflict((c) => c.doNothing())
    .execute();
  const row = await tx
    .selectFrom('site_config')
    .select(['config', 'version'])
    .where('code', '=', code)
    .forUpdate()
    .executeTakeFirstOrThrow();
  await freshActor(tx, by);
  const before = completed(code, row.config);
  const after = withChanges(before, named, SECTION_NAMES);
  refuse(CONFLICTS[code](after as never));
  const changed = changedFields(before, after);
  if (changed.length === 0) return after;
  const next = { version: row.version + 1, config: JSON.stringify(after) };
  await tx
    .updateTable('site_config')
    .set({ ...next, updated_at: sql<Date>`now()`, updated_by: by.user.id })
    .where('code', '=', code)
    .execute();
  await tx
    .insertInto('site_config_history')
    .values({ code, ...next, changed_by: by.user.id })
    .execute();
  await sql`select pg_notify(${CHANNEL}, ${code})`.execute(tx);
  await emitChanges(tx, code, { changed, after });
  await recordAudit(tx, by, { before: pick(before, changed), after: pick(after, changed) });
  return after;
}

function stakeProblems(named: Partial<ConfigOf<'COMMON'>>, { find }: ListedCurrencies): Problem[] {
  return named.minStakes ? minStakeProblems(named.minStakes, find) : [];
}

/** The named fields, each within its bounds. */
function readFields(code: ConfigCode, fields: Fields): Fields {
  const parsed = CONFIGS[code].safeParse(fields);
  if (!parsed.success) refuse(parsed.error.issues.flatMap(problemsOf));
  const read = (parsed.data ?? {}) as Fields;
  return Object.fromEntries(
    Object.entries(fields).map(([name, given]) => [
      name,
      // The schema has filled in the fields of the section that were not named.
      SECTION_NAMES.includes(name) ? pick(read[name] as Fields, Object.keys(given as Fields)) : read[name],
    ]),
  );
}

function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  const at = issue.path.join('.');
  if (issue.code !== 'unrecognized_keys') return [{ path: at, message: issue.message }];
  return issue.keys.map((key) => ({
    path: [...issue.path, key].join('.'),
    message: 'is not a field of this code',
  }));
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const fields = problems.slice(0, 20).map(({ path, message }) => ({ path: path.slice(0, 200), message }));
  throw commonErrors.VALIDATION_FAILED({ fields });
}

/** What a code was from when on: its versions after one, the oldest first. Before the first the defaults held. */
async function versionsAfter<C extends ConfigCode>(
  db: DbOrTx,
  code: C,
  version: number,
): Promise<ConfigVersion<ConfigOf<C>>[]> {
  const rows = await db
    .selectFrom('site_config_history')
    .select(['version', 'changed_at as since', 'config'])
    .where('code', '=', code)
    .where('version', '>', version)
    .orderBy('version')
    .execute();
  return rows.map((row) => ({ ...row, config: completed(code, row.config) as ConfigOf<C> }));
}

async function lowestOfDay(db: DbOrTx, field: 'adjustmentApprovalUsd'): Promise<Units> {
  const { rows } = await sql<{ config: unknown; isOld: boolean }>`
    with versions as (
      select version, config, changed_at <= now() - interval '24 hours' as is_old from site_config_history where code = 'WITHDRAWALS')
    select config, is_old as "isOld" from versions
    where not is_old or version = (select max(version) from versions where is_old)`.execute(db);
  // Before the first change the defaults held.
  const held = rows.some(({ isOld }) => isOld) ? rows : [{ config: {} }, ...rows];
  const values = held.map(({ config }) =>
    units((completed('WITHDRAWALS', config) as ConfigOf<'WITHDRAWALS'>)[field]),
  );
  return values.reduce((lowest, value) => (value < lowest ? value : lowest));
}

async function readAll(db: DbOrTx): Promise<Record<string, Fields>> {
  const rows = await db.selectFrom('site_config').select(['code', 'config']).execute();
  return completedAll(new Map(rows.map((row) => [row.code, row.config])));
}

function completedAll(stored: ReadonlyMap<string, unknown>): Record<string, Fields> {
  const codes = Object.keys(CONFIGS) as ConfigCode[];
  return Object.fromEntries(codes.map((code) => [code, completed(code, stored.get(code))]));
}
