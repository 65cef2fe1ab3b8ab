import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db.ts';
import { shortUsers, sightOf } from '../users/service.ts';
import { changedFields, pick } from './rules.ts';
import { type ConfigCode, completed, type SiteSettings } from './schemas.ts';

const SHOWN = 50;

/** The settings of a code as they are stored, and its newest changes; before the first the defaults held. */
export async function show(db: Db, by: StaffCall, code: ConfigCode): Promise<z.input<typeof SiteSettings>> {
  const rows = await db
    .selectFrom('site_config_history')
    .select(['version', 'config', 'changed_by', 'changed_at'])
    .where('code', '=', code)
    .orderBy('version', 'desc')
    .limit(SHOWN + 1)
    .execute();
  const users = await shortUsers(
    db,
    rows.map((row) => row.changed_by),
    sightOf(by.user),
  );
  const changes = rows.slice(0, SHOWN).map(({ version, config, changed_by, changed_at }, at) => {
    const [before, after] = [completed(code, rows[at + 1]?.config), completed(code, config)];
    const changed = changedFields(before, after);
    return {
      version,
      at: iso(changed_at),
      by: changed_by === null ? null : (users.get(changed_by) ?? null),
      before: pick(before, changed),
      after: pick(after, changed),
    };
  });
  return { config: completed(code, rows[0]?.config), changes };
}
