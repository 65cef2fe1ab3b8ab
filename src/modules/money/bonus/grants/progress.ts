import { type Db, transaction } from '../../../../platform/db.ts';
import { messageOf } from '../../../../platform/errors.ts';
import type { Log } from '../../../../platform/log.ts';
import { announce } from './announce.ts';
import { readActive } from './queries.ts';

/** Progress of a grant is announced once in this time at most. */
const EVERY_MS = 2000;
const AT_ONCE = 500;

/** Tells players how far their grants are: those that bets have moved since the last time, together. */
export function createProgress({ db, log }: { db: Db; log: Log }) {
  const moved = new Set<bigint>();
  let telling: NodeJS.Timeout | undefined;

  async function tell(): Promise<void> {
    const ids = [...moved];
    moved.clear();
    for (let from = 0; from < ids.length; from += AT_ONCE)
      await transaction(db, async (tx) =>
        announce(tx, ...(await readActive(tx, ids.slice(from, from + AT_ONCE)))),
      );
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
