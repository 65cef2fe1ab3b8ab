import type { Db } from '../../platform/db.ts';
import type { Log } from '../../platform/log.ts';
import type { Pulse } from '../../platform/pulse.ts';

export const CHANNEL = 'countries_changed';

export type Blocked = Awaited<ReturnType<typeof createBlocked>>;

/** The blocked countries in memory: read at start, and again whenever one was changed or a notice may have been lost. */
export async function createBlocked({ db, pulse, log }: { db: Db; pulse: Pulse; log: Log }) {
  let codes: ReadonlySet<string> = new Set();
  let asked = 0;
  let applied = 0;
  const reload = async (): Promise<void> => {
    const turn = ++asked;
    const rows = await db.selectFrom('countries').select('code').where('is_blocked', '=', true).execute();
    // A slow read must not bring back what a later one has replaced.
    if (turn < applied) return;
    applied = turn;
    codes = new Set(rows.map((row) => row.code));
  };
  const reloadSoon = () =>
    void reload().catch((error: Error) =>
      log.warn({ error: error.message }, 'blocked countries cannot be read: the known ones stay'),
    );
  await pulse.onNotice(CHANNEL, reloadSoon);
  pulse.onGap(reloadSoon);
  await reload();
  return { has: (code: string): boolean => codes.has(code), reload };
}
