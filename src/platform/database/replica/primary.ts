import type { Log } from '../../observability/log.ts';
import { createConnectionBreaker } from '../connection-breaker.ts';

/** A position in the database's log, in bytes since its beginning, and its timeline. */
export type Position = { timeline: number; lsn: bigint };

/** Facts that a server reports on a new connection. A standby has no write position. */
export type Server = {
  /** The system identifier: the same on every node of a cluster. */
  cluster: string;
  isStandby: boolean;
  isReadOnly: boolean;
  position: Position | undefined;
};

export type Primary = ReturnType<typeof createPrimary>;

/**
 * Thrown when the address points to a server that must not be written to. The code is PostgreSQL's SQLSTATE for a rejected write, so
 * callers respond with 503.
 */
export class WrongServer extends Error {
  readonly code = '25006';
}

const STANDBY =
  'DATABASE_URL leads to a read-only replica: set it to the primary, and set DATABASE_READ_URL to the replica.';
const READ_ONLY =
  'DATABASE_URL leads to a read-only database: default_transaction_read_only is on for this server, database, role or address.';

/**
 * Tracks the primary that the process uses: its cluster and the latest acknowledged position. Every new write connection is checked against
 * both before its first use.
 */
export function createPrimary(log: Log) {
  let cluster: string | undefined;
  let acknowledged: Position | undefined;
  /** The reason why the latest server is not used although it accepts writes. Staff must resolve the problem. */
  let refusal: string | undefined;
  let isBehind = false;
  const gate = createGate();

  const refuse = (reason: string, facts: object): never => {
    if (refusal !== reason) log.error(facts, reason);
    refusal = reason;
    throw new WrongServer(reason);
  };
  const fallBehind = (facts: object): void => {
    if (!isBehind) log.error(facts, BEHIND);
    isBehind = true;
  };
  const compare = (position: Position, known: Position | undefined): void => {
    if (known && position.lsn < known.lsn)
      fallBehind({ acknowledged: textOf(known), found: textOf(position) });
  };
  return {
    /** The breaker that all write connections of this process share. */
    breaker: createConnectionBreaker(),
    ...gate,
    ...createResourceErrors(),
    /** Returns the position up to which writes are acknowledged. */
    acknowledged: () => acknowledged,
    /**
     * Throws unless this server accepts writes. `known` is the acknowledged position from before the server was queried, because a later
     * write may be acknowledged before the response arrives. `isObserver` accepts a connection even while nothing commits, so that it can
     * detect recovery.
     */
    admit(
      server: Server,
      { known, isObserver = false }: { known: Position | undefined; isObserver?: boolean },
    ): void {
      if (server.isStandby || !server.position) throw new WrongServer(STANDBY);
      if (server.isReadOnly) throw new WrongServer(READ_ONLY);
      cluster ??= server.cluster;
      if (server.cluster !== cluster) refuse(ANOTHER_CLUSTER, { expected: cluster, found: server.cluster });
      if (known && server.position.timeline < known.timeline)
        refuse(OLDER_TIMELINE, { acknowledged: textOf(known), found: textOf(server.position) });
      refusal = undefined;
      compare(server.position, known);
      gate.assertAdmitting(isObserver);
    },
    /** Records a committed write that began at this position. All writes acknowledged earlier are before this position. */
    acknowledge(position: Position): void {
      compare(position, acknowledged);
      if (!acknowledged || isLater(position, acknowledged)) acknowledged = position;
    },
    /** Reports that an acknowledged row no longer exists. */
    fallBehind,
    isBehind: () => isBehind,
    refusal: () => refusal,
  };
}

/**
 * Creates a gate for new connections. Each write that waits for its commit occupies a server process, so the number of connections must be
 * limited.
 */
function createGate() {
  let isHeld = false;
  return {
    /** After `hold(true)`, only observers may connect until `hold(false)` is called. */
    hold(holds: boolean): void {
      isHeld = holds;
    },
    assertAdmitting(isObserver: boolean): void {
      if (isHeld && !isObserver)
        throw new WrongServer('The database does not commit: new connections are rejected.');
    },
  };
}

type ResourceError = Error & { code: string };

/** Forwards errors about the server's resources, which any connection of the process may report, to all subscribers. */
function createResourceErrors() {
  const listeners: ((error: ResourceError) => void)[] = [];
  return {
    onResourceError: (listener: (error: ResourceError) => void): void => void listeners.push(listener),
    reportResourceError(error: ResourceError): void {
      for (const listener of listeners) listener(error);
    },
  };
}

const isLater = (one: Position, other: Position): boolean =>
  one.timeline > other.timeline || (one.timeline === other.timeline && one.lsn > other.lsn);

const BEHIND =
  'the database has lost acknowledged writes and returned to an earlier state. Find the lost writes before you pay out money (docs/operations/database.md)';
const ANOTHER_CLUSTER =
  'DATABASE_URL leads to a node of another cluster, so nothing is written to it. Correct the address, or restart to switch to that cluster';
const OLDER_TIMELINE =
  'DATABASE_URL leads to a former primary whose successor has acknowledged writes, so nothing is written to it. Restart if you want to continue with this server';

/** Formats a position as PostgreSQL does, prefixed with the timeline: `3:0/1A2B3C4D`. */
function textOf({ timeline, lsn }: Position): string {
  const [high, low] = [lsn >> 32n, lsn & 0xffff_ffffn].map((half) => half.toString(16).toUpperCase());
  return `${timeline}:${high}/${low}`;
}
