import { randomBytes } from 'node:crypto';
import type { Dialect } from './catalogue.ts';

/** The data that the platform sends to open a game. `player` is undefined for a demo. */
export type Launched = {
  gameCode: string;
  player?: { id: string; token: string; currency: string } | undefined;
  language: string;
  lobbyUrl: string;
};

/** `seed` determines all outcomes of the session. `names` are the ids that a script uses for its transactions and rounds. */
export type Session = Launched & {
  id: string;
  dialect: Dialect;
  gameName: string;
  seed: string;
  /** The play money of a demo. */
  funds: bigint;
  names: Map<string, string>;
  spins: Map<string, Promise<object>>;
  at: Date;
};

export type Sessions = ReturnType<typeof createSessions>;

const DEMO_FUNDS = 1_000n * 10n ** 18n;
const KEPT = 5000;

export function createSessions() {
  const sessions = new Map<string, Session>();
  return {
    open(dialect: Dialect, gameName: string, about: Launched): Session {
      const session: Session = {
        ...about,
        id: randomBytes(16).toString('hex'),
        dialect,
        gameName,
        seed: randomBytes(32).toString('hex'),
        funds: DEMO_FUNDS,
        names: new Map(),
        spins: new Map(),
        at: new Date(),
      };
      sessions.set(session.id, session);
      const [oldest] = sessions.keys();
      if (sessions.size > KEPT && oldest) sessions.delete(oldest);
      return session;
    },
    find: (id: string): Session | undefined => sessions.get(id),
    /** Returns all sessions, newest first. */
    list: (): Session[] => [...sessions.values()].reverse(),
  };
}
