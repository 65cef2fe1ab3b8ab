import { setTimeout as sleep } from 'node:timers/promises';
import { createDb, createPool, type Db, type DbOptions, transaction } from '../../../platform/database/db.ts';
import { errors } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { keepMonth } from '../../engagement/user-stats/totals.ts';
import { closeMonths } from '../../games/bets/service.ts';
import { createAccountHours } from '../../money/ledger/account-hours.ts';
import { firstIdOf } from '../../money/ledger/rules.ts';
import { createSafeWatermark } from '../../money/ledger/safe-watermark.ts';
import {
  analyzeLists,
  archivedBelow,
  attachPart,
  createMonth,
  detachPart,
  keepLines,
  keepRewards,
  lastId,
  leftLying,
  moveIds,
  openIn,
  type Part,
  putAway,
  readParts,
  readTime,
  writeOpenings,
} from './queries.ts';
import { keptFrom, LISTS, type List, monthOf, monthsNeeded, nameOf, partOf } from './rules.ts';

const partitionErrors = errors({
  PARTITION_NOT_FOUND: [
    404,
    'This partition does not exist or is not the next one to move. List the partitions; details names the next one.',
  ],
  PARTITION_IN_USE: [409, 'The partition cannot be detached or attached yet; see details.reason.'],
});

/** The time limit for statements that may have to read a month of bets. */
const LONGEST_MS = 3_600_000;
const ANALYZE_EVERY_MS = 86_400_000;
/** How long to wait for the safe watermark, which a long transaction may delay. */
const PATIENCE_MS = 10_000;

export type Partitions = ReturnType<typeof createPartitions>;

/** The number of months to keep in addition to the current one; 0 keeps all months. */
type Keep = { BETS_KEEP_MONTHS: number; LEDGER_KEEP_MONTHS: number };

export type PartitionDeps = { db: Db; database: DbOptions; log: Log; config: Keep };

/**
 * Manages the partitions of bets, rewards and postings. Creates partitions ahead of time, stores the totals of old ones and detaches them.
 */
export function createPartitions(deps: PartitionDeps) {
  const { db, log, config } = deps;
  const keep = keptMonths(config);
  let analyzedAt = -Infinity;
  return {
    list: () => readParts(db),
    ensure: (at?: Date) => ensureMonths(deps, at),

    /**
     * Moves the oldest partition of a table to the schema `archive`, where it can be dumped and dropped. Its totals remain stored. Throws
     * 404 PARTITION_NOT_FOUND if it does not exist or is not the oldest, and 409 PARTITION_IN_USE while `openIn` returns a reason.
     */
    async detach(list: List, month: string): Promise<void> {
      const { name, own } = await partsOf(db, list, month);
      const oldest = own.find(({ state }) => state !== 'detached');
      if (oldest?.part !== name) throw partitionErrors.PARTITION_NOT_FOUND({ oldest: oldest?.part });
      await takeAway(deps, oldest);
    },

    /**
     * Attaches the partition that was detached last. Rewards must be attached before their bets. Throws 404 PARTITION_NOT_FOUND or 409
     * PARTITION_IN_USE.
     */
    async attach(list: List, month: string): Promise<void> {
      const { name, own } = await partsOf(db, list, month);
      const youngest = own.findLast(({ state }) => state === 'detached');
      if (youngest?.part !== name || youngest.bytes === 0n)
        throw partitionErrors.PARTITION_NOT_FOUND({ youngest: youngest?.part });
      const from = month === 'before' ? undefined : firstIdOf(monthOf(new Date(`${month}-01T00:00:00Z`)));
      if (list === 'bets') await assertRewardsThere(db, from ?? 0n);
      await alone(deps, (own) => transaction(own, (tx) => attachPart(tx, { ...youngest, from })));
      log.info({ part: name }, 'partition attached');
    },

    /** Runs regularly in a worker: creates partitions ahead of time, updates statistics once a day and detaches old partitions. */
    async maintain(at?: Date): Promise<void> {
      const now = at ?? (await readTime(db));
      await ensureMonths(deps, now);
      await putAwayAll(db);
      if (performance.now() - analyzedAt > ANALYZE_EVERY_MS) {
        await alone(deps, analyzeLists);
        analyzedAt = performance.now();
      }
      const held = new Set<List>();
      for (const part of await readParts(db)) {
        const from = keptFrom(now, keep[part.list]);
        const isOld = from !== undefined && part.below <= firstIdOf(from);
        if (held.has(part.list) || (part.state !== 'pending' && !(isOld && part.state === 'attached')))
          continue;
        try {
          await takeAway(deps, part);
        } catch (error) {
          log.warn({ part: part.part, reason: reasonOf(error) }, 'an old partition stays for now');
          // The table's newer partitions must not be detached before this one.
          held.add(part.list);
        }
      }
    },
  };
}

const keptMonths = ({ BETS_KEEP_MONTHS, LEDGER_KEEP_MONTHS }: Keep): Record<List, number> => ({
  bets: BETS_KEEP_MONTHS,
  bet_rewards: BETS_KEEP_MONTHS,
  ledger_lines: LEDGER_KEEP_MONTHS,
});

async function assertRewardsThere(db: Db, from: bigint): Promise<void> {
  if ((await archivedBelow(db, 'bet_rewards')) > from)
    throw partitionErrors.PARTITION_IN_USE({ reason: 'rewards of that time are detached' });
}

/**
 * Creates the partitions of the current month and the next two, and advances the ids to the current month. Existing partitions are not
 * changed.
 */
async function ensureMonths({ db, log }: PartitionDeps, at?: Date): Promise<void> {
  const now = at ?? (await readTime(db));
  const parts = await readParts(db);
  const known = new Set(parts.map(({ part }) => part));
  // If the clock was set back, ids from a month before the first monthly partition belong to the partition "before".
  const firstOfMonths = parts.find(({ part }) => part === partOf('bets', 'before'))?.below ?? 0n;
  const needed = monthsNeeded(now, await lastId(db));
  for (const month of needed.filter((each) => firstIdOf(each) >= firstOfMonths)) {
    const isThere = LISTS.every((list) => known.has(partOf(list, nameOf(month))));
    if (!isThere && (await createMonth(db, month))) log.info({ month: nameOf(month) }, 'partitions made');
  }
  const month = monthOf(now);
  if ((await lastId(db)) < firstIdOf(month) && (await moveIds(db, month)))
    log.info({ month: nameOf(month) }, 'new ids now belong to a new month');
}

/** Returns the name of a month's partition and all partitions of the same table. */
async function partsOf(db: Db, list: List, month: string) {
  await putAwayAll(db);
  const name = partOf(list, month);
  return { name, own: (await readParts(db)).filter((part) => part.list === list) };
}

async function putAwayAll(db: Db): Promise<void> {
  for (const part of await leftLying(db)) await putAway(db, part);
}

/** Runs `work` on a separate connection, on which statements may take a long time. */
async function alone<T>({ database, log }: PartitionDeps, work: (own: Db) => Promise<T>): Promise<T> {
  const pool = createPool({ ...database, poolSize: 1, statementTimeoutMs: LONGEST_MS }, log);
  try {
    return await work(createDb(pool));
  } finally {
    await pool.end();
  }
}

const takeAway = (deps: PartitionDeps, part: Part): Promise<void> =>
  alone(deps, async (own) => {
    if (part.state === 'attached') {
      if (!(await isComplete(own, part)))
        throw partitionErrors.PARTITION_IN_USE({ reason: 'it is not over' });
      if (part.list === 'ledger_lines') await createAccountHours(own).rollUp();
      await transaction(own, async (tx) => {
        if (part.list === 'bets') await closeMonths(tx);
        const reason = await openIn(tx, part);
        if (reason !== undefined) throw partitionErrors.PARTITION_IN_USE({ reason });
        await writeOpenings(tx, part);
        await KEEP[part.list](tx, part.part);
      });
    }
    await detachPart(own, part);
    await putAway(own, part.part);
    deps.log.info({ part: part.part }, 'partition detached');
  });

const KEEP = { bets: keepMonth, bet_rewards: keepRewards, ledger_lines: keepLines };

/** Returns true if no transaction can still write an id of this partition. */
async function isComplete(db: Db, { below }: Part): Promise<boolean> {
  const safeWatermark = createSafeWatermark(db);
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await sleep(50))
    if ((await safeWatermark()) >= below) return true;
  return false;
}

function reasonOf(error: unknown): string {
  const { details, message } = error as { details?: { reason?: string }; message: string };
  return details?.reason ?? message;
}
