import { sql } from 'kysely';
import type { Config } from '../../../platform/config/config.ts';
import type { DatabaseClock } from '../../../platform/database/clock.ts';
import type { Db, DbOrTx } from '../../../platform/database/db.ts';
import { createMirror } from '../../../platform/database/mirror.ts';
import { errors } from '../../../platform/errors.ts';
import { type Units, units } from '../../../platform/money.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { createPublicConfig, type ListedCurrencies } from './public.ts';
import { minStakeOf } from './rules.ts';
import { CONFIGS, type ConfigCode, type ConfigOf, completed } from './schemas.ts';

export const siteConfigErrors = errors({
  REGISTRATION_CLOSED: [403, 'Registration is closed at the moment.'],
});

export type SiteConfig = ReturnType<typeof createSiteConfig>;

/** A version of the settings of a code, valid from `since`. */
export type ConfigVersion<T> = { version: number; since: Date; config: T };

type Fields = Record<string, unknown>;
type Threshold =
  | 'adjustmentApprovalUsd'
  | 'depositReviewApprovalUsd'
  | 'fourEyesThresholdUsd'
  | 'staffValueLimitUsd';

export const CHANNEL = 'site_config_changed';

/** Settings that superadmins change at runtime, by code. Every process caches them and is notified of changes. */
export function createSiteConfig(parts: {
  db: Db;
  databaseClock: DatabaseClock;
  log: Log;
  config: Config;
  currencies: ListedCurrencies;
}) {
  const { db, databaseClock, log, config, currencies } = parts;
  let current = completedAll(new Map());
  const mirror = createMirror({
    what: 'site configuration',
    channel: CHANNEL,
    read: () => readAll(db),
    apply: (read) => {
      current = read;
    },
    databaseClock,
    log,
  });
  const get = <C extends ConfigCode>(code: C): ConfigOf<C> => current[code] as ConfigOf<C>;
  return {
    start: mirror.start,
    close: mirror.close,
    /** Applies a change that this process has just committed. */
    reload: mirror.reload,
    currencies,

    /** Returns the current settings from memory. Call this function each time instead of storing the result, because settings change. */
    get,

    /**
     * Returns the lowest value that a threshold had in the last 24 hours, so that staff cannot bypass an approval by raising the threshold
     * first.
     */
    lowestOfDay,

    versionsAfter,

    /** Throws 403 REGISTRATION_CLOSED while registration is closed. */
    assertRegistrationOpen(): void {
      if (!get('COMMON').isRegistrationOpen) throw siteConfigErrors.REGISTRATION_CLOSED();
    },

    /** Returns the public fields of a code. */
    publicView: createPublicConfig({ get, config, currencies }),

    /** Returns the minimum stake in a currency. */
    minStakeOf: (currency: { id: string; decimals: number }): Units =>
      minStakeOf(currency, get('COMMON').minStakes),
  };
}

/** Returns the versions of a code after `version`, oldest first. The defaults applied before the first stored version. */
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

export async function lowestOfDay(db: DbOrTx, field: Threshold): Promise<Units> {
  const { rows } = await sql<{ config: unknown; isOld: boolean }>`
    with versions as (
      select version, config, changed_at <= now() - interval '24 hours' as is_old from site_config_history where code = 'WITHDRAWALS')
    select config, is_old as "isOld" from versions
    where not is_old or version = (select max(version) from versions where is_old)`.execute(db);
  // The defaults applied before the first stored version.
  const valid = rows.some(({ isOld }) => isOld) ? rows : [{ config: {} }, ...rows];
  const values = valid.map(({ config }) =>
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
