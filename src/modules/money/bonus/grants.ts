import { createCache } from '../../../platform/cache.ts';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../platform/database/db.ts';
import { messageOf } from '../../../platform/errors.ts';
import { formatUnits } from '../../../platform/money.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { announce } from './grants/announce.ts';
import type { GrantDeps } from './grants/deps.ts';
import { type FreeWins, recordFreeWins } from './grants/free-rounds.ts';
import { type Deposited, issue, type NewGrant, onDeposit, onDepositReversed } from './grants/issue.ts';
import { findActive, grantsDue, readActive } from './grants/queries.ts';
import { progressPercent } from './grants/rules.ts';
import { type End, end, endAll, settle } from './grants/settle.ts';
import { planUndo, type UndoneBet } from './grants/undo.ts';
import type { BetGrant } from './rules.ts';

const BATCH = 100;

export type Grants = ReturnType<typeof createGrants>;

/**
 * Manages bonus money from the issue of a grant to its end. Each player has at most one active grant per currency. Other grants wait in the
 * order in which they were issued. Every change locks the player, then the grant.
 */
export function createGrants({ db, log, ...deps }: GrantDeps & { db: Db; log: Log }) {
  const progress = createProgress({ db, log });
  async function settleAll(grantIds: readonly bigint[]): Promise<void> {
    for (const id of grantIds)
      await transaction(db, (tx) => settle(tx, deps, id)).catch((error: unknown) =>
        log.error({ grantId: String(id), error: messageOf(error) }, 'settling a grant failed'),
      );
  }
  return {
    issue: (tx: Tx, grant: NewGrant) => issue(tx, deps, grant),
    end: (tx: Tx, grantId: bigint, ending: End) => end(tx, deps, grantId, ending),
    endAll: (tx: Tx, userId: number, reason: string) => endAll(tx, deps, userId, reason),
    settle: (tx: Tx, grantId: bigint) => settle(tx, deps, grantId),
    recordFreeWins: (tx: Tx, wins: FreeWins) => recordFreeWins(tx, deps, wins),
    onDeposit: (tx: Tx, deposit: Deposited) => onDeposit(tx, deps, deposit),
    onDepositReversed: (tx: Tx, key: string) => onDepositReversed(tx, deps, key),
    /** Plans the rollback of a settled bet's bonus money. Returns undefined for a cash bet. The player must be locked. */
    planUndo: (tx: Tx, bet: UndoneBet) => planUndo(tx, deps, bet),
    openIn,

    /** Throws 403 ROLLOVER_OPEN while a grant is active in the currency. Locks the player. */
    async assertNoneOpen(tx: Tx, userId: number, currencyId: string): Promise<void> {
      const player = (await lockPlayers(tx, [userId])).get(userId);
      const open = player?.hasGrant ? await openIn(tx, userId, currencyId) : undefined;
      if (open) throw gateErrors.ROLLOVER_OPEN(open);
    },

    /** Settles grants that bets have changed, each in its own transaction. Never fails; the job retries failed grants. */
    settleAll,

    isAnyDue: async () => (await grantsDue(db, 1)).length > 0,

    /** Schedules progress events for grants that bets have changed. */
    noteProgress: progress.note,

    /**
     * Settles grants that are due: expired grants, and grants left unsettled by a process that died. Failed grants are retried on the next
     * run.
     */
    async settleDue(): Promise<void> {
      await settleAll((await grantsDue(db, BATCH)).map(({ id }) => id));
    },
    close: progress.close,
  };
}

/** Returns the active grant in a currency with the amount still to be wagered. */
async function openIn(db: DbOrTx, userId: number, currencyId: string) {
  const grant = await findActive(db, userId, currencyId);
  if (!grant) return undefined;
  const left = grant.wager_required - grant.wager_done;
  return { grantId: String(grant.id), wagerRemaining: formatUnits(left > 0n ? left : 0n), currencyId };
}

/** The minimum interval between two batches of progress events. */
const PROGRESS_EVERY_MS = 2000;
const PROGRESS_BATCH = 500;
const MAX_CACHED = 20_000;

/** The progress of a grant. */
type Progressed = Pick<BetGrant, 'id' | 'wagerRequired' | 'wagerDone'>;

/** Emits progress events in batches, for grants that have progressed by a whole percent since the last event. */
function createProgress({ db, log }: { db: Db; log: Log }) {
  const moved = new Set<bigint>();
  /** The last emitted percentages. */
  const emitted = createCache<bigint, number>(MAX_CACHED);
  let timer: NodeJS.Timeout | undefined;

  async function emit(): Promise<void> {
    const ids = [...moved];
    moved.clear();
    for (let from = 0; from < ids.length; from += PROGRESS_BATCH) {
      const before = new Map(ids.slice(from, from + PROGRESS_BATCH).map((id) => [id, emitted.get(id)]));
      // The query may miss a bet that is recorded after it starts, so the progress of its grant must be emitted again.
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
      }, PROGRESS_EVERY_MS).unref();
    },
    close: () => clearTimeout(timer),
  };
}

const wholePercentOf = (grant: Omit<Progressed, 'id'>): number => Math.floor(progressPercent(grant));
