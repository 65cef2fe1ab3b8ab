import { LRUCache } from 'lru-cache';
import { type Db, transaction } from '../../../../platform/db.ts';
import { messageOf } from '../../../../platform/errors.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Units } from '../../../../platform/money.ts';
import { announce } from './announce.ts';
import { readActive } from './queries.ts';
import { progressPercent } from './rules.ts';

/** Progress of a grant is announced once in this time at most. */
const EVERY_MS = 2000;
const AT_ONCE = 500;
const MOST_REMEMBERED = 20_000;

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
      const active = await readActive(db, ids.slice(from, from + AT_ONCE));
      const news = active.filter((grant) => told.get(grant.id) !== percentOf(grant));
      if (news.length > 0) await transaction(db, (tx) => announce(tx, ...news));
      for (const grant of news) told.set(grant.id, percentOf(grant));
    }
  }

  return {
    /** Bets have moved these grants. */
    note(grantIds: readonly bigint[]): void {
      for (const id of grantIds) moved.add(id);
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

const percentOf = ({ wager_required, wager_done }: { wager_required: Units; wager_done: Units }): number =>
  Math.floor(progressPercent({ wagerRequired: wager_required, wagerDone: wager_done }));
