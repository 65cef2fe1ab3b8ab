import type { Log } from './log.ts';

/** A position in the log of the database, in bytes since its beginning, and the timeline that it lies on. */
export type Position = { timeline: number; lsn: bigint };

/** What a server says of itself on a new connection. A standby has no position of its own. */
export type Server = {
  /** The system identifier: the same on every node of a cluster. */
  cluster: string;
  isStandby: boolean;
  isReadOnly: boolean;
  position: Position | undefined;
};

export type Primary = ReturnType<typeof createPrimary>;

/** The address leads to a server that must not be written to. Looks like the server's own refusal of a write: callers answer 503. */
export class WrongServer extends Error {
  readonly code = '25006';
}

const STANDBY =
  'DATABASE_URL leads to a replica, on which nothing can be written: name the primary there, and the replica in DATABASE_READ_URL.';
const READ_ONLY =
  'DATABASE_URL leads to a database that takes no writes: default_transaction_read_only is on for this server, database, role or address.';

/**
 * What a process knows of the primary that it works on: which cluster it belongs to, and how far it has acknowledged writes. Every new connection
 * for writing is judged by that before anybody gets it.
 */
export function createPrimary(log: Log) {
  let cluster: string | undefined;
  let acknowledged: Position | undefined;
  /** Why the latest server was refused although it takes writes: a matter for people. */
  let refusal: string | undefined;
  let isBehind = false;
  let isHeld = false;

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
    /** How far writes are acknowledged by now. */
    acknowledged: () => acknowledged,
    /**
     * Throws unless writes may go to this server. `known`: what was acknowledged before it was asked; its answer may come after that of a
     * later write. `isObserver`: also while nothing is committed, to see when that ends.
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
      // Each write that waits for its commit keeps a process of the server: they must not become more and more.
      if (isHeld && !isObserver)
        throw new WrongServer('The database does not commit: no more connections now.');
    },
    /** A write was committed that began at this position: whatever had been acknowledged before it lies before this. */
    acknowledge(position: Position): void {
      compare(position, acknowledged);
      if (!acknowledged || isLater(position, acknowledged)) acknowledged = position;
    },
    /** A row that was acknowledged is not there any more. */
    fallBehind,
    /** No new connections but of observers, until it is said to be over. */
    hold(holds: boolean): void {
      isHeld = holds;
    },
    isBehind: () => isBehind,
    refusal: () => refusal,
  };
}

const isLater = (one: Position, other: Position): boolean =>
  one.timeline > other.timeline || (one.timeline === other.timeline && one.lsn > other.lsn);

const BEHIND =
  'the database has lost what it had acknowledged: it has come back at an earlier state. Find out what is missing before money leaves (docs/operations.md)';
const ANOTHER_CLUSTER =
  'DATABASE_URL leads to a node of another cluster: nothing is written to it. Correct the address; to change over to it, restart';
const OLDER_TIMELINE =
  'DATABASE_URL leads to a former primary, whose successor has acknowledged writes: nothing is written to it. If this one is to go on, restart';

/** As PostgreSQL writes it, with the timeline before it: `3:0/1A2B3C4D`. */
function textOf({ timeline, lsn }: Position): string {
  const [high, low] = [lsn >> 32n, lsn & 0xffff_ffffn].map((half) => half.toString(16).toUpperCase());
  return `${timeline}:${high}/${low}`;
}
