import { untilBeat } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { pause, within } from '../jobs/timers.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { type DatabaseClock, startDatabaseClock } from './clock.ts';
import { type CommitProbe, createCommitProbe } from './commit-probe.ts';
import type { ConnectionOptions } from './db.ts';
import { isDiskError } from './errors.ts';
import type { Primary } from './replica/primary.ts';

/** Callers that arrive within this time share one probe write. */
const SHARED_MS = 1000;
/** Interval at which a probe write runs even without callers. Each probe updates the acknowledged position. */
const OWN_MS = 10_000;
/** Pause between two attempts while the database does not commit. */
const RETRY_MS = 200;
/**
 * A write that waits longer than this is waiting for a standby, not for a busy disk. New database connections are then rejected, but only
 * if this process has committed a write before.
 */
const HOLD_MS = 3000;
const AFTERMATH_MS = 1000;
/** Minimum time between the last disk error and the start of a write whose success may end the outage. */
const CALM_MS = 1000;
/** For this long after a disk error, every probe checks for free disk space. */
const ROOM_MS = 60_000;

export type Availability = Awaited<ReturnType<typeof startAvailability>>['availability'];

type Parts = {
  log: Log;
  metrics: Pick<Metrics, 'watch' | 'dbResourceErrors'>;
  /** A write that runs longer than this is considered not committed. */
  commitTimeoutMs: number;
};

/**
 * Tracks whether the database responds and commits, as seen by this process. The database clock checks that it responds. A small probe
 * write checks that it commits. The start and the end of an outage are logged.
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
      // The probe's connection uses the same server, which may have stopped responding too.
      probe.abandon(reason);
      outage.begin(reason);
    },
    onFound: () => void commits.check(),
  });
  heedResources(primary, metrics, commits);
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
    /** Returns whether a write that began at most a second ago was committed. Returns within the commit timeout and never throws. */
    isCommitting: () => commits.check(),
    /** Returns whether a failure may be due to an outage: one already reported, or one that a new commit probe detects. */
    isAway: async () => outage.wasOn() || !(await commits.check(performance.now())),
    /** Returns true during an outage. */
    isOutage: outage.isOn,
    /** Duration of the latest committed write. */
    lastCommitMs: commits.lastMs,
    isBehind: primary.isBehind,
    /** Returns the reason why the process must not write to the database even though the database accepts writes. */
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

/**
 * Handles errors about the server's resources. A disk error on any connection means that this process cannot write either. Any other error
 * only triggers a probe.
 */
function heedResources(
  primary: Primary,
  metrics: Pick<Metrics, 'dbResourceErrors'>,
  commits: ReturnType<typeof createCommits>,
): void {
  primary.onResourceError((error) => {
    metrics.dbResourceErrors.inc({ state: error.code });
    if (isDiskError(error)) commits.refuse(error.message);
    else void commits.check(performance.now());
  });
}

type Watched = { databaseClock: DatabaseClock; outage: Outage; primary: Primary };

function watch(metrics: Parts['metrics'], { databaseClock, outage, primary }: Watched): void {
  metrics.watch('croupier_db_available', '1 while the database responds and commits', () =>
    Number(!outage.isOn()),
  );
  metrics.watch('croupier_db_behind', '1 once the database has returned without acknowledged writes', () =>
    Number(primary.isBehind()),
  );
  metrics.watch(
    'croupier_db_refused',
    '1 while DATABASE_URL leads to a database that must not be written to',
    () => Number(primary.refusal() !== undefined),
  );
  metrics.watch(
    'croupier_clock_skew_seconds',
    'Difference between the clocks of this machine and the database',
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

/** A shared write. `isCommitted` is set when the write ends. */
type Shared = { startedAt: number; done: Promise<boolean>; isCommitted?: boolean };

function createCommits({ probe, isUp, outage, primary, commitTimeoutMs, closing }: Commits) {
  let latest: Shared | undefined;
  let lastMs = 0;
  let hasCommitted = false;
  let refusedAt = Number.NEGATIVE_INFINITY;
  /** A write that began soon after a disk error does not end an outage. The probe's small write may succeed on a nearly full disk. */
  const isAfterRefusal = (startedAt: number) => startedAt > refusedAt + CALM_MS;
  const write = async (startedAt: number): Promise<boolean> => {
    const options = { needsRoom: !isAfterRefusal(startedAt - ROOM_MS) };
    // A connection that broke while it was idle does not indicate an outage, so a second attempt opens a new connection.
    await probe.write(options).catch(() => probe.write(options));
    lastMs = performance.now() - startedAt;
    hasCommitted = true;
    primary.hold(false);
    if (!isAfterRefusal(startedAt)) return false;
    // During a slow write the clock may have lost its connection. In that case the clock's next heartbeat ends the outage.
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
    /**
     * Begins an outage because another write failed with a disk error. The process stays unavailable until a probe write succeeds that
     * began after this error.
     */
    refuse(reason: string): void {
      refusedAt = performance.now();
      outage.begin(reason);
    },
    async check(notBefore = performance.now() - SHARED_MS): Promise<boolean> {
      if (!isUp() || closing.aborted) return false;
      if (latest === undefined || !isFresh(latest, Math.max(notBefore, refusedAt))) latest = begin();
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
    /** Returns true during an outage and for a short time after it, because work that began before its end may still fail. */
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
