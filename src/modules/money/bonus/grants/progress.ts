import { LRUCache } from 'lru-cache';
import { type Db, transaction } from '../../../../platform/database/db.ts';
import { messageOf } from '../../../../platform/errors.ts';
import type { Log } from '../../../../platform/observability/log.ts';
import type { BetGrant } from '../rules.ts';
import { announce } from './announce.ts';
import { readActive } from './queries.ts';
import { progressPercent } from './rules.ts';

/** The minimum interval between two progress events. */
const EVERY_MS = 2000;
const BATCH = 500;
const MAX_CACHED = 20_000;

/** The progress of a grant. */
type Progressed = Pick<BetGrant, 'id' | 'wagerRequired' | 'wagerDone'>;

/** Emits progress events in batches, for grants that have progressed by a whole percent since the last event. */
export function createProgress({ db, log }: { db: Db; log: Log }) {
  const moved = new Set<bigint>();
  /** The last emitted percentages. */
  const emitted = new LRUCache<bigint, number>({ max: MAX_CACHED });
  let timer: NodeJS.Timeout | undefined;

  async function emit(): Promise<void> {
    const ids = [...moved];
    moved.clear();
    for (let from = 0; from < ids.length; from += BATCH) {
      const before = new Map(ids.slice(from, from + BATCH).map((id) => [id, emitted.get(id)]));
      // A bet noted from here on may be missing from the query, so its grant must not be skipped.
      for (const id of before.keys()) emitted.delete(id);
      const active = (await readActive(db, [...before.keys()])).map((row) => ({
        row,
        percent: wholePercentOf({ wagerRequired: row.wager_required, wagerDone: row.wager_done }),
      }));
      const changed = active.flatMap(({ row, percent }) => (before.get(row.id) === percent ? [] : [row]));
      if (changed.length > 0) await transaction(db, (tx) => announce(tx, ...changed));
      for (const { row, percent } of active) emitted.set(row.id, percent);
    }
  }

  return {
    /** Schedules events for grants that bets have changed. Changes below one percent are ignored. */
    note(grants: readonly Progressed[]): void {
      for (const grant of grants) if (emitted.get(grant.id) !== wholePercentOf(grant)) moved.add(grant.id);
      if (moved.size === 0) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        emit().catch((error: unknown) =>
          log.warn({ error: messageOf(error) }, 'emitting grant progress failed'),
        );
      }, EVERY_MS).unref();
    },
    close: () => clearTimeout(timer),
  };
}

const wholePercentOf = (grant: Omit<Progressed, 'id'>): number => Math.floor(progressPercent(grant));
