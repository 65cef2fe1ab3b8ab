import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { proveCopy } from '../../src/app/commands/rehearse.ts';
import { takeBackup } from '../../src/platform/backup/backup.ts';
import { restoreBackup } from '../../src/platform/backup/restore.ts';
import type { Db } from '../../src/platform/database/db.ts';
import type { Attempt } from '../crash/load.ts';
import { SEED_SECRET } from '../crash/processes.ts';
import { until } from '../kit/until.ts';
import { DATABASE, type HaCluster, query } from './cluster.ts';

/** A point in time during the load, by the database's clock and by the clock of the history. */
type Moment = { at: Date; ms: number };

/** Makes a base backup of a replica, like the daily backup. */
export async function createMoments(ha: HaCluster) {
  const backup = join(ha.folder, 'backup');
  const { by, files, ms } = await takeBackup({ url: ha.replicationUrl, to: backup, durable: false });
  console.log(`backed up a replica by ${by}: ${files} files in ${ms} ms`);
  let moment: Moment | undefined;
  return {
    /** Selects the current time as the recovery target. */
    choose(): void {
      moment ??= { at: new Date(), ms: performance.now() };
    },

    /**
     * Restores the backup next to the cluster, and replays the archive across every leader change. Compares the copy with the responses.
     */
    async problems(history: readonly Attempt[]): Promise<string[]> {
      const { at, ms } = moment!;
      const [row] = await query<{ segment: string }>(
        ha.adminUrl(),
        'select pg_walfile_name(pg_switch_wal()) as segment',
      );
      await until(() => existsSync(join(ha.archive, row!.segment)), 30_000);
      const data = join(ha.folder, 'restored');
      await restoreBackup({ from: backup, to: data, archive: ha.archive, until: at, durable: false });
      const examine = (db: Db) => differing(db, history, ms);
      const lines: string[] = [];
      const say = (line: string) => void lines.push(line);
      const programs = join(ha.postgresBin, '..');
      const parts = { data, database: DATABASE, seedSecret: SEED_SECRET, programs, say, examine, asOf: at };
      const isWhole = await proveCopy(parts);
      console.log(`back to ${at.toISOString()}: ${lines.at(-1)}`);
      return isWhole ? [] : lines.filter((line) => /^BROKEN|MISSING|INVALID ENTRIES/.test(line));
    },
  };
}

/** Returns the bets acknowledged before the given time that are missing in the copy, and the bets sent after it that are present. */
async function differing(db: Db, history: readonly Attempt[], ms: number): Promise<string[]> {
  const rows = await db.selectFrom('bets').select('window_id').where('window_id', 'is not', null).execute();
  const there = new Set(rows.map(({ window_id }) => window_id));
  const before = history.filter(({ outcome, sentAt, ms: took }) => outcome === 'ok' && sentAt + took < ms);
  const after = history.filter(({ sentAt }) => sentAt > ms);
  if (before.length === 0 || after.length === 0) return ['the moment is not within the load'];
  console.log(`${before.length} bets acknowledged before the moment, ${after.length} sent after it`);
  return [
    ...before
      .filter(({ tag }) => !there.has(tag))
      .map(({ tag }) => `${tag} was acknowledged before and is not there`),
    ...after.filter(({ tag }) => there.has(tag)).map(({ tag }) => `${tag} was sent after and is there`),
  ];
}
