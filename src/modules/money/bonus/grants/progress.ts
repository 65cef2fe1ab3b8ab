import { LRUCache } from 'lru-cache';
import { type Db, transaction } from '../../../../platform/db.ts';
import { messageOf } from '../../../../platform/errors.ts';
import type { Log } from '../../../../platform/log.ts';
import type { BetGrant } from '../rules.ts';
import { announce } from './announce.ts';
import { readActive } from './queries.ts';
import { progressPercent } from './rules.ts';

/** Progress of a grant is announced once in this time at most. */
const EVERY_MS = 2000;
const AT_ONCE = 500;
const MOST_REMEMBERED = 20_000;

/** A grant, as far as it tells how far it is. */
type Moved = Pick<BetGrant, 'id' | 'wagerRequired' | 'wagerDone'>;

/** Tells players how far their grants are: those that bets have moved by a whole percent since they were told, together. */
export function createProgress({ db, log }: { db: Db; log: Log }) {
  const moved = new Set<bigint>();
  /** Whole percents that players were told. */
  const told = new LRUCache<bigint, number>({ max: MOST_REMEMBERED });
  let telling: NodeJS.Timeout | undefined;

  async function tell(): Promise<void> {
    const ids = [...moved];
    moved.clear();
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const before = new Map(ids.slice(from, from + AT_ONCE).map((id) => [id, told.get(id)]));
      // A bet that is noted from here on may not be in what is read: its grant is looked at again.
      for (const id of before.keys()) told.delete(id);
      const active = (await readActive(db, [...before.keys()])).map((row) => ({
        row,
        percent: wholePercentOf({ wagerRequired: row.wager_required, wagerDone: row.wager_done }),
      }));
      const news = active.flatMap(({ row, percent }) => (before.get(row.id) === percent ? [] : [row]));
      if (news.length > 0) await transaction(db, (tx) => announce(tx, ...news));
      for (const { row, percent } of active) told.set(row.id, percent);
    }
  }

  return {
    /** Bets have moved these grants, to where they are now: most of them by less than a percent, which costs nothing more. */
    note(grants: readonly Moved[]): void {
      for (const grant of grants) if (told.get(grant.id) !== wholePercentOf(grant)) moved.add(grant.id);
      if (moved.size === 0) return;
      telling ??= setTimeout(() => {
        telling = undefined;
        tell().catch((error: unknown) =>
          log.warn({ error: messageOf(error) }, 'progress of grants was not announced'),
        );
      }, EVERY_MS).unref();
    },
    close: () => clearTimeout(telling),
  };
}

const wholePercentOf = (grant: Omit<Moved, 'id'>): number => Math.floor(progressPercent(grant));
