import { setTimeout as sleep } from 'node:timers/promises';
import { fromUnits, toUnits } from './amounts.ts';
import type { Answer, Call, Dialect, Fault, Message, Seat, Status } from './dialect.ts';
import { send } from './http.ts';
import type { Guest, Operator } from './operator.ts';

/** The connection between a supplier and the platform. */
export type Line = {
  dialect: Dialect;
  url: string;
  slug: string;
  secret: string;
  /** The second secret, valid in addition to the first. */
  another?: string | undefined;
  operator: Operator;
};

export type Said = {
  fault?: Fault | undefined;
  /** True if the message is signed with the second secret. */
  byAnother?: boolean;
  slug?: string;
  /** True if the call is sent only once, even if the platform requests a retry. */
  once?: boolean;
};

const MOST_TRIES = 6;
const PAUSE_MS = 100;
const START = '100';
const CURRENCY = 'USDT';

export class Failure extends Error {}

export type Table = ReturnType<typeof createTable>;

const tokens = new Map<string, Promise<string>>();

/** Signs in once for all cases, because the platform rejects frequent sign-ins. */
function signedIn(name: string, signIn: () => Promise<string>): Promise<string> {
  const token = tokens.get(name) ?? signIn();
  tokens.set(name, token);
  token.catch(() => tokens.delete(name));
  return token;
}

/** Creates the state of one case: at most two players, and the names that the case uses for transactions and rounds. */
export function createTable(
  line: Line,
  wish: { cash?: string; currency?: string; game?: 'second'; country?: string } = {},
) {
  const { dialect, operator } = line;
  const ids = new Map<string, string>();
  const rounds = new Map<string, string>();
  const guests = new Map<'me' | 'other', Promise<Guest>>();

  const named = (names: Map<string, string>, name: string, make: () => string): string => {
    const id = names.get(name) ?? make();
    names.set(name, id);
    return id;
  };
  const guest = (who: 'me' | 'other' = 'me'): Promise<Guest> => {
    const made = guests.get(who) ?? operator.newGuest({ cash: START, currency: CURRENCY, ...wish });
    guests.set(who, made);
    return made;
  };
  const base = (slug = line.slug) => line.url + dialect.base(slug);
  const secretOf = async (byAnother: boolean): Promise<string> => {
    const secret = byAnother ? line.another! : line.secret;
    const { signIn } = dialect;
    if (!signIn) return secret;
    return signedIn(`${base()} ${secret}`, () => signIn(secret, (call) => send(base(), call)));
  };

  /** Sends a message once, without a retry. */
  async function attempt(message: Message, { fault, byAnother = false, slug }: Said = {}): Promise<Answer> {
    const calls = dialect.calls(message, { secret: await secretOf(byAnother), fault });
    let all: Answer | undefined;
    for (const call of calls) {
      const answer = dialect.read(await send(base(slug), call));
      all = all ? { ...answer, ids: [...all.ids, ...answer.ids] } : answer;
      if (!isCarriedOut(dialect, answer)) break;
    }
    return all!;
  }

  return {
    line,
    guest,
    /** Returns the id with which a transaction of the case is sent. */
    idOf: (name: string, make: () => string) => named(ids, name, make),
    roundOf: (name: string) => named(rounds, name, dialect.newRound),
    raw: async (call: Omit<Call, 'headers'>) => {
      const headers: Record<string, string> = { 'x-api-key': await secretOf(false) };
      return send(base(), { ...call, headers });
    },
    /** Sends a message and closes the connection before the response arrives. */
    async sayAndHangUp(message: Message): Promise<void> {
      for (const call of dialect.calls(message, { secret: await secretOf(false) }))
        await send(base(), call, { hangsUp: true });
    },
    /** Sends a message as a supplier does. Repeats it while the platform requests a retry. */
    async say(message: Message, said: Said & { expected?: Status } = {}): Promise<Answer> {
      for (let tries = 1; ; tries++) {
        const answer = await attempt(message, said);
        const isUncertain =
          answer.code === dialect.codes.RETRY && answer.code !== dialect.codes[said.expected ?? 'OK'];
        if (!isUncertain || said.once || tries === MOST_TRIES) return answer;
        await sleep(PAUSE_MS * tries);
      }
    },
    async cashOf(seat: Seat): Promise<string | undefined> {
      // Omits the session, because it may have ended.
      const asked = { ...seat, token: '' };
      const { balance } = await this.say({ seat: asked, round: '', moves: [], closes: false });
      return balance;
    },
    async assertCash(expected: string, who: 'me' | 'other' = 'me'): Promise<void> {
      const { seat } = await guest(who);
      const cash = await this.cashOf(seat);
      if (!isSame(cash, expected))
        throw new Failure(`expected a balance of ${expected} got ${cash ?? 'none'}`);
    },
  };
}

const isCarriedOut = ({ codes }: Dialect, { code }: Answer) => code === codes.OK;

export const isSame = (a: string | undefined, b: string): boolean =>
  a !== undefined && fromUnits(toUnits(a)) === fromUnits(toUnits(b));
