import { untilBeat } from './clock.ts';
import { type CommitProbe, createCommitProbe } from './commit-probe.ts';
import { type DatabaseClock, startDatabaseClock } from './database-clock.ts';
import type { ConnectionOptions } from './db.ts';
import { messageOf } from './errors.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Primary } from './primary.ts';
import { pause, within } from './timers.ts';

/** Everybody who asks within this time shares a write. */
const SHARED_MS = 1000;
/** Without anybody who asks: what was acknowledged is remembered so often. */
const OWN_MS = 10_000;
/** While the database does not commit, the pause between two attempts. */
const RETRY_MS = 200;
/** A write that waits for so long waits for a standby, not for a busy disk. While a process starts there is no such hurry. */
const HOLD_MS = 3000;
const AFTERMATH_MS = 1000;

export type Availability = Awaited<ReturnType<typeof startAvailability>>['availability'];

type Parts = {
  log: Log;
  metrics: Pick<Metrics, 'watch'>;
  /** A write that takes longer counts as one that is not committed. */
  commitTimeoutMs: number;
};

/**
 * Whether the database answers and commits, as this process feels it: the clock beside the pool tells the one, a small write the other. An outage
 * is logged when it begins and when it ends.
 */
export async function startAvailability(
  options: ConnectionOptions & { primary: Primary },
  { log, metrics, commitTimeoutMs }: Parts,
) {
  const { primary } = options;
  const closing = new AbortController();
  const outage = createOutage(log);
  const probe = createCommitProbe(options);
  let databaseClock: DatabaseClock | undefined;
  const commits = createCommits({
    probe,
    isUp: () => databaseClock?.isUp() === true,
    outage,
    primary,
    commitTimeoutMs,
    closing: closing.signal,
  });
  databaseClock = await startDatabaseClock(options, log, {
    onLost(reason) {
      // Its server may be one that has gone silent.
      probe.abandon(reason);
      outage.begin(reason);
    },
    onFound: () => void commits.check(),
  });
  const rest = () =>
    outage.isOn() ? pause(RETRY_MS, closing.signal) : pause(untilBeat(OWN_MS), closing.signal);
  const repeat = async () => {
    while (!closing.signal.aborted) {
      await commits.check();
      await rest();
    }
  };
  const repeating = repeat();
  watch(metrics, { databaseClock, outage, primary });
  const availability = {
    /** Whether a write that was begun a second ago at most is committed. Answers in time, and never throws. */
    isCommitting: () => commits.check(),
    /** Whether that what has just failed may have failed of an outage: told already, or noticed by a write that begins now. */
    isAway: async () => outage.wasOn() || !(await commits.check(performance.now())),
    /** An outage was told, and is not over. */
    isOutage: outage.isOn,
    /** How long the latest write that was committed took. */
    lastCommitMs: commits.lastMs,
    isBehind: primary.isBehind,
    /** Why the database must not be written to although it takes writes. */
    refusal: primary.refusal,
    async close(): Promise<void> {
      closing.abort();
      probe.abandon('closing');
      await probe.close();
      await repeating;
      await databaseClock.close();
    },
  };
  return { availability, databaseClock };
}

type Watched = { databaseClock: DatabaseClock; outage: Outage; primary: Primary };

function watch(metrics: Parts['metrics'], { databaseClock, outage, primary }: Watched): void {
  metrics.watch('db_available', '1 while the database answers and commits', () => Number(!outage.isOn()));
  metrics.watch('db_behind', '1 once the database has come back without what it had acknowledged', () =>
    Number(primary.isBehind()),
  );
  metrics.watch('db_refused', '1 while the address leads to a database that must not be written to', () =>
    Number(primary.refusal() !== undefined),
  );
  metrics.watch(
    'clock_skew_seconds',
    'Clock of this machine, less that of the database',
    () => (Date.now() - databaseClock.now()) / 1000,
  );
}

type Commits = {
  probe: CommitProbe;
  isUp: () => boolean;
  outage: Outage;
  primary: Primary;
  commitTimeoutMs: number;
  closing: AbortSignal;
};

/** A write that is shared: whether it was committed, once it is over. */
type Shared = { startedAt: number; done: Promise<boolean>; isCommitted?: boolean };

function createCommits({ probe, isUp, outage, primary, commitTimeoutMs, closing }: Commits) {
  let latest: Shared | undefined;
  let lastMs = 0;
  let hasCommitted = false;
  const write = async (startedAt: number): Promise<boolean> => {
    // A connection that broke while nobody used it says nothing of the database: the second one is new.
    await probe.write().catch(() => probe.write());
    lastMs = performance.now() - startedAt;
    hasCommitted = true;
    primary.hold(false);
    // One that took so long that the clock was lost meanwhile: its next beat tells.
    if (isUp()) outage.end();
    return true;
  };
  const begin = (): Shared => {
    const startedAt = performance.now();
    const own: Shared = { startedAt, done: Promise.resolve(false) };
    own.done = write(startedAt)
      .catch((error: unknown) => {
        if (!closing.aborted) outage.begin(messageOf(error));
        return false;
      })
      .then((isCommitted) => {
        own.isCommitted = isCommitted;
        return isCommitted;
      });
    return own;
  };
  const isFresh = ({ startedAt, isCommitted }: Shared, notBefore: number) =>
    isCommitted === undefined || startedAt >= (isCommitted ? notBefore : performance.now() - RETRY_MS);
  return {
    lastMs: () => lastMs,
    async check(notBefore = performance.now() - SHARED_MS): Promise<boolean> {
      if (!isUp() || closing.aborted) return false;
      if (latest === undefined || !isFresh(latest, notBefore)) latest = begin();
      const own = latest;
      const leftMs = own.startedAt + commitTimeoutMs - performance.now();
      const isCommitted = own.isCommitted ?? (await within(Math.max(leftMs, 1), own.done));
      if (isCommitted !== undefined || closing.aborted) return isCommitted === true;
      outage.begin('it does not commit');
      primary.hold(hasCommitted && performance.now() - own.startedAt > HOLD_MS);
      return false;
    },
  };
}

type Outage = ReturnType<typeof createOutage>;

function createOutage(log: Log) {
  let beganAt: number | undefined;
  let endedAt = Number.NEGATIVE_INFINITY;
  return {
    isOn: () => beganAt !== undefined,
    /** On, or over a moment ago: what began before its end may fail after it. */
    wasOn: () => beganAt !== undefined || performance.now() - endedAt < AFTERMATH_MS,
    begin(reason: string): void {
      if (beganAt !== undefined) return;
      beganAt = performance.now();
      log.warn({ reason }, 'the database is not available: an outage begins');
    },
    end(): void {
      if (beganAt === undefined) return;
      const seconds = Number(((performance.now() - beganAt) / 1000).toFixed(1));
      beganAt = undefined;
      endedAt = performance.now();
      log.info({ seconds }, 'the database is available again: the outage is over');
    },
  };
}
