import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client';
import { type Events, type Room, STATE_EVENTS } from './events.ts';

export type * from './events.ts';

/** What every event comes in. `seq` is one number line over all rooms and servers. */
export type Frame<N extends keyof Events = keyof Events> = {
  event: N;
  seq: number;
  at: string;
  data: Events[N];
};
export type Balance = Events['balance.updated'];
type Handler<N extends keyof Events> = (data: Events[N], frame: Frame<N>) => void;

export type Options = {
  /** Where the realtime application is: `https://realtime.example.com`. */
  url: string;
  /** The socket token (POST /auth/sign-in, POST /auth/refresh). Asked anew for every connection: let it answer a fresh one. */
  token: () => Promise<string> | string;
  /**
   * Up to where everything was seen before, as `lastSeq` of an earlier client answered or `onSeq` said: what happened since is told first.
   * Keep it by player: of another one's it says nothing.
   */
  lastSeq?: number | undefined;
  /** Hears of `lastSeq` when it has changed, once a second at most, so that a page that is loaded again can go on; undefined: begin anew. */
  onSeq?: (lastSeq: number | undefined) => void;
  /** Rooms beside the player's own and `public`. */
  rooms?: readonly Room[];
  /** For the transport. WebSocket alone unless `transports` says more. */
  socket?: Partial<ManagerOptions & SocketOptions>;
};

/** A message that the server refused. */
export class Refusal extends Error {
  readonly code: string;
  constructor({ code, message }: { code: string; message: string }) {
    super(message);
    this.code = code;
  }
}

export type Client = ReturnType<typeof connect>;

const ANSWER_MS = 10_000;
const TELL_MS = 1000;
const RETRY_MS = { least: 1000, most: 30_000 };
/** They speak of the connection, and stand nowhere in the order of what happened. */
const ABOUT_THE_CONNECTION = new Set<string>(['ready', 'resync', 'error']);

/**
 * Opens a socket and keeps it: after an interruption it connects again, with a fresh token, and is told what it missed. Events come
 * each once and in order; where that cannot be had `onResync` says so.
 */
export function connect({ url, token, lastSeq, onSeq, rooms = [], socket: more }: Options) {
  const wanted = new Set<Room>(rooms);
  /** What the handshake under way has asked for. */
  let asked: ReadonlySet<Room> = new Set();
  const handlers = new Map<string, Set<Handler<never>>>();
  const order = createOrder(lastSeq);
  const seqs = createTeller(order.from, onSeq);
  const balances = createBalances();
  let retryMs: number = RETRY_MS.least;
  let retrying: ReturnType<typeof setTimeout> | undefined;

  const socket: Socket = io(url, {
    transports: ['websocket'],
    ...more,
    auth: (send) => {
      const present = (own: { socket_token?: string }) => {
        asked = new Set(wanted);
        send({ ...own, ...order.from(), ...(asked.size > 0 ? { rooms: [...asked] } : {}) });
      };
      new Promise<string>((resolve) => resolve(token())).then(
        (text) => present({ socket_token: text }),
        // Without a token the server refuses unless cookies do, and it is tried again.
        () => present({}),
      );
    },
  });
  const tell = (frame: Frame) => {
    for (const handler of handlers.get(frame.event) ?? [])
      (handler as Handler<keyof Events>)(frame.data as never, frame);
  };
  socket.onAny((event: string, frame: Frame) => {
    if (
      typeof frame !== 'object' ||
      frame === null ||
      !order.takes({ ...frame, event: event as keyof Events })
    )
      return;
    seqs.changed();
    if (event === 'balance.updated' && !balances.learn(frame.data as Balance)) return;
    if (event === 'ready') retryMs = RETRY_MS.least;
    tell({ ...frame, event: event as keyof Events });
  });
  // A refused handshake and a disconnection by the server are final for the transport, not for us.
  const again = () => {
    if (socket.active) return;
    clearTimeout(retrying);
    retrying = setTimeout(() => socket.connect(), retryMs);
    retryMs = Math.min(retryMs * 2, RETRY_MS.most);
  };
  socket.on('connect_error', again);
  socket.on('disconnect', (reason) => {
    if (reason !== 'io client disconnect') again();
  });
  const ask = async (name: 'subscribe' | 'unsubscribe', room: Room): Promise<void> => {
    const answer: Answer = await socket.timeout(ANSWER_MS).emitWithAck(name, { room });
    if (!answer.ok) throw new Refusal(answer.error);
  };
  // Entered or left while the handshake was under way.
  socket.on('connect', () => {
    const entered = [...wanted].filter((room) => !asked.has(room)).map((room) => ask('subscribe', room));
    const left = [...asked].filter((room) => !wanted.has(room)).map((room) => ask('unsubscribe', room));
    // Nobody waits for these; the next connection asks again.
    for (const answer of [...entered, ...left]) answer.catch(() => undefined);
  });

  const on = <N extends keyof Events>(event: N, handler: Handler<N>): (() => void) => {
    const all = handlers.get(event) ?? new Set<Handler<never>>();
    handlers.set(event, all.add(handler as Handler<never>));
    return () => void all.delete(handler as Handler<never>);
  };

  return {
    /** Calls `handler` for every event of the name; answers how to end that. */
    on,

    /** What was missed cannot be told: read over HTTP what is shown. Events go on from here. */
    onResync: (handler: () => void): (() => void) => on('resync', () => handler()),

    /** Enters a room, also after every interruption. Throws Refusal. */
    async subscribe(room: Room): Promise<void> {
      wanted.add(room);
      if (!socket.connected) return;
      try {
        await ask('subscribe', room);
      } catch (error) {
        if (error instanceof Refusal) wanted.delete(room);
        throw error;
      }
    },

    /** Leaves a room. */
    async unsubscribe(room: Room): Promise<void> {
      wanted.delete(room);
      if (socket.connected) await ask('unsubscribe', room);
    },

    /** The newest that is known of each wallet, by currency. */
    balances: balances.all,
    /** Takes in a balance that came another way (GET /accounting/balances), unless a newer one is known. */
    keepBalance: (balance: Balance): boolean => balances.learn(balance),

    /** Up to where everything was seen; undefined before the first connection. */
    lastSeq: (): number | undefined => order.from().lastSeq,
    isConnected: (): boolean => socket.connected,

    close(): void {
      clearTimeout(retrying);
      seqs.close();
      socket.disconnect();
    },
  };
}

type Answer = { ok: true } | { ok: false; error: { code: string; message: string } };

/** Knows how far was read, and what was seen before. */
function createOrder(begin: number | undefined) {
  let lastSeq = begin;
  let seen = begin ?? -1;
  return {
    from: (): { lastSeq?: number } => (lastSeq === undefined ? {} : { lastSeq }),
    /** Whether a frame is new. Another server may be behind the one of before, and tell the last events once more. */
    takes({ event, seq }: Frame): boolean {
      if (event === 'resync') {
        lastSeq = undefined;
        seen = -1;
      }
      // What waited while the missed was told comes after `ready` and stands before it: it says where to begin, not more.
      if (event === 'ready') lastSeq ??= seq;
      if (ABOUT_THE_CONNECTION.has(event)) return true;
      const isState = STATE_EVENTS.includes(event);
      if (!isState && seq <= seen) return false;
      if (!isState) seen = seq;
      lastSeq = Math.max(lastSeq ?? 0, seq);
      return true;
    },
  };
}

/** Tells of the last seq a while after it has changed, and at the end what was not told yet. */
function createTeller(from: () => { lastSeq?: number }, onSeq: Options['onSeq']) {
  let told: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tell = () => {
    clearTimeout(timer);
    timer = undefined;
    const { lastSeq } = from();
    if (lastSeq !== told) onSeq?.(lastSeq);
    told = lastSeq;
  };
  return {
    changed(): void {
      if (onSeq) timer ??= setTimeout(tell, TELL_MS);
    },
    close: tell,
  };
}

/** Balances by currency: an older version never takes the place of a newer one. */
function createBalances() {
  const known = new Map<string, Balance>();
  return {
    all: known as ReadonlyMap<string, Balance>,
    learn(balance: Balance): boolean {
      const before = known.get(balance.currencyId);
      if (before && before.version >= balance.version) return false;
      known.set(balance.currencyId, balance);
      return true;
    },
  };
}
