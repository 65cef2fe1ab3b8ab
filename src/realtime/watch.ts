import type { Log } from '../platform/log.ts';
import type { Member, Members, Standing } from './members.ts';

/** How sessions stand that are alive, by id: those of banned users and those that have ended are not among them. */
export type StandingsOf = (sessionIds: readonly string[]) => Promise<ReadonlyMap<string, Standing>>;

/** Why sessions have ended, by id. */
export type EndingsOf = (sessionIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** Notices come in bundles: one read answers them all. */
const GATHER_MS = 15;
const RETRY_MS = 250;
/** Sessions also end by time, without a notice. */
const LOOK_EVERY_MS = 60_000;

/**
 * Looks again at the sessions of sockets when something has changed about them: whose session has ended is cut, of the rest the
 * new standing is told. A read that fails is tried again until it is answered.
 */
export function createWatch(parts: {
  members: Members;
  standingsOf: StandingsOf;
  endingsOf: EndingsOf;
  cut: (member: Member, reason: string) => void;
  changed: (member: Member) => void;
  log: Log;
}) {
  const { members, standingsOf, log } = parts;
  let dirty = new Set<Member>();
  let timer: NodeJS.Timeout | undefined;
  let isReading = false;
  let isClosed = false;

  const schedule = (ms: number) => {
    if (isClosed || isReading) return;
    timer ??= setTimeout(() => void look(), ms);
  };
  const look = async () => {
    timer = undefined;
    isReading = true;
    const looked = dirty;
    dirty = new Set();
    let failed = false;
    try {
      const standings = await standingsOf([...new Set([...looked].map(({ sessionId }) => sessionId))]);
      const ended = [...looked].filter(
        ({ sessionId, userId }) => standings.get(sessionId)?.userId !== userId,
      );
      const reasons =
        ended.length > 0 ? await parts.endingsOf(ended.map(({ sessionId }) => sessionId)) : NONE;
      for (const member of ended)
        if (members.all.has(member)) parts.cut(member, reasons.get(member.sessionId) ?? 'ENDED');
      for (const member of looked) apply(member, standings.get(member.sessionId));
    } catch (error) {
      failed = true;
      for (const member of looked) dirty.add(member);
      log.warn({ error: String(error), sockets: looked.size }, 'sessions of sockets cannot be looked at');
    }
    isReading = false;
    if (dirty.size > 0) schedule(failed ? RETRY_MS : GATHER_MS);
  };
  const apply = (member: Member, standing: Standing | undefined) => {
    if (!members.all.has(member) || !standing) return;
    member.standing = standing;
    parts.changed(member);
  };
  const add = (some: Iterable<Member>) => {
    for (const member of some) dirty.add(member);
    if (dirty.size > 0) schedule(GATHER_MS);
  };
  const everybody = () => add(members.all);
  const looking = setInterval(everybody, LOOK_EVERY_MS);
  looking.unref();

  return {
    /** A notice of the channel `access_changed`: `session:<id>` or `user:<id>`. */
    heard(payload: string): void {
      const [what, id = ''] = payload.split(':');
      if (what === 'session') add(members.ofSession(id));
      else if (what === 'user') add(members.ofUser(Number(id)));
    },
    /** Of these somebody else has heard something. */
    look: add,
    /** Notices may have been lost. */
    everybody,
    close(): void {
      isClosed = true;
      clearTimeout(timer);
      clearInterval(looking);
    },
  };
}

const NONE: ReadonlyMap<string, string> = new Map();
