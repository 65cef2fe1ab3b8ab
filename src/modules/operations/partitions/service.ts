import { setTimeout as sleep } from 'node:timers/promises';
import { createDb, createPool, type Db, type DbOptions, transaction } from '../../../platform/db.ts';
import type { Log } from '../../../platform/log.ts';
import { keepMonth } from '../../engagement/user-stats/service.ts';
import { closeMonths } from '../../games/bets/roll-back.ts';
import { createAccountHours } from '../../money/ledger/account-hours.ts';
import { firstIdOf } from '../../money/ledger/months/rules.ts';
import { createSafeWatermark } from '../../money/ledger/safe-watermark.ts';
import { partitionErrors } from './errors.ts';
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

/** Reading a month of bets takes its time. */
const LONGEST_MS = 3_600_000;
const ANALYZE_EVERY_MS = 86_400_000;
/** A transaction that runs for long may hold the safe watermark back. */
const PATIENCE_MS = 10_000;

export type Partitions = ReturnType<typeof createPartitions>;

/** Months to keep, the current one not counted; 0: all. */
export type Keep = { BETS_KEEP_MONTHS: number; LEDGER_KEEP_MONTHS: number };

type PartitionDeps = { db: Db; database: DbOptions; log: Log; config: Keep };

/** Partitions of bets and ledger postings: made ahead of time, detached when they are old, and never without their sums. */
export function createPartitions(deps: PartitionDeps) {
  const { db, log, config } = deps;
  const keep = keptMonths(config);
  let analyzedAt = -Infinity;
  return {
    list: () => readParts(db),
    ensure: (at?: Date) => ensureMonths(deps, at),

    /**
     * Takes the oldest partition of a list away into the schema `archive`, where it can be dumped and dropped; its sums stay. Throws 404
     * PARTITION_NOT_FOUND when it is not there or not the oldest, 409 PARTITION_IN_USE while openIn has a reason.
     */
    async detach(list: List, month: string): Promise<void> {
      const { name, own } = await partsOf(db, list, month);
      const oldest = own.find(({ state }) => state !== 'detached');
      if (oldest?.part !== name) throw partitionErrors.PARTITION_NOT_FOUND({ oldest: oldest?.part });
      await takeAway(deps, oldest);
    },

    /** Brings back the youngest that was detached; bets after their rewards. Throws 404 PARTITION_NOT_FOUND, 409 PARTITION_IN_USE. */
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

    /** What a worker does now and then: partitions ahead of time, statistics once a day, and old ones taken away. */
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
          // A younger one cannot go before it.
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

/** The partitions of now and two months ahead, and ids of this month. What is there already is left alone. */
async function ensureMonths({ db, log }: PartitionDeps, at?: Date): Promise<void> {
  const now = at ?? (await readTime(db));
  const known = new Set((await readParts(db)).map(({ part }) => part));
  for (const month of monthsNeeded(now, await lastId(db))) {
    const isThere = LISTS.every((list) => known.has(partOf(list, nameOf(month))));
    if (!isThere && (await createMonth(db, month))) log.info({ month: nameOf(month) }, 'partitions made');
  }
  const month = monthOf(now);
  if ((await lastId(db)) < firstIdOf(month) && (await moveIds(db, month)))
    log.info({ month: nameOf(month) }, 'ids go on in a new month');
}

/** The name of a partition, and all partitions of its list. */
async function partsOf(db: Db, list: List, month: string) {
  await putAwayAll(db);
  const name = partOf(list, month);
  return { name, own: (await readParts(db)).filter((part) => part.list === list) };
}

async function putAwayAll(db: Db): Promise<void> {
  for (const part of await leftLying(db)) await putAway(db, part);
}

/** Runs `work` on a connection of its own, on which statements may take long. */
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

/** No id of the part can still be written. */
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
