import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client';
import { backOffMs, retryAfterSeconds } from './backoff.ts';
import { type Events, type Room, STATE_EVENTS } from './events.ts';

export type * from './events.ts';

/** The envelope of every event. `seq` increases across all rooms and servers. */
export type Frame<N extends keyof Events = keyof Events> = {
  event: N;
  seq: number;
  at: string;
  data: Events[N];
};
export type Balance = Events['balance.updated'];
export type ChatRoom = Extract<Room, `chat:${string}`>;
/** A stored chat message. */
export type Written = { messageId: string; at: string };
type Handler<N extends keyof Events> = (data: Events[N], frame: Frame<N>) => void;

export type Options = {
  /** URL of the realtime application: `https://realtime.example.com`. */
  url: string;
  /**
   * Returns the socket token (from POST /auth/sign-in or POST /auth/refresh). It is called for every connection and must return a valid
   * token each time.
   */
  token: () => Promise<string> | string;
  /**
   * Sequence number of the last event that this player received, from `lastSeq()` or `onSeq` of an earlier client. Events after it are
   * replayed first. Store it per player, because it is meaningless for another player.
   */
  lastSeq?: number | undefined;
  /**
   * Called when `lastSeq` has changed, at most once a second, so that a reloaded page can resume. The argument is undefined if there is no
   * event to resume from.
   */
  onSeq?: (lastSeq: number | undefined) => void;
  /** Rooms to enter in addition to `public` and the player's own room. */
  rooms?: readonly Room[];
  /**
   * Transport options. WebSocket only, unless `transports` lists more. `reconnectionDelay` and `reconnectionDelayMax` limit the random
   * wait before a reconnection (default: 1 and 30 seconds). If the server asks for a longer wait, the client waits that long.
   */
  socket?: Partial<ManagerOptions & SocketOptions>;
};

type Problem = Events['error'];

/** Thrown if the server rejected a message. */
export class Refusal extends Error {
  readonly code: string;
  /** Details of the rejection, such as `retryAfterSeconds`. */
  readonly details: Record<string, unknown>;
  constructor({ code, message, details = {} }: Problem) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

export type Client = ReturnType<typeof connect>;

const ANSWER_MS = 10_000;
const REPORT_MS = 1000;
const RETRY_MS = { least: 1000, most: 30_000 };
/** Events about the connection itself. They are not part of the sequence. */
const ABOUT_THE_CONNECTION = new Set<string>(['ready', 'resync', 'error']);

/**
 * Opens a socket and keeps it open. After an interruption the client reconnects with a fresh token and receives the missed events. Each
 * event arrives once and in order. If that is impossible, `onResync` is called.
 */
export function connect({ url, token, lastSeq, onSeq, rooms = [], socket: more }: Options) {
  const wanted = new Set<Room>(rooms);
  /** The rooms that the current handshake requested. */
  let asked: ReadonlySet<Room> = new Set();
  const handlers = new Map<string, Set<Handler<never>>>();
  const order = createOrder(lastSeq);
  const seqs = createSeqReporter(order.from, onSeq);
  const balances = createBalances();
  let tries = 0;
  let retrying: ReturnType<typeof setTimeout> | undefined;

  const socket: Socket = io(url, {
    transports: ['websocket'],
    ...more,
    // The transport's built-in reconnection caps the wait after it adds jitter, so clients that failed at the same time would soon retry at
    // the same time.
    reconnection: false,
    auth: (send) => {
      const present = (own: { socket_token?: string }) => {
        asked = new Set(wanted);
        send({ ...own, ...order.from(), ...(asked.size > 0 ? { rooms: [...asked] } : {}) });
      };
      new Promise<string>((resolve) => resolve(token())).then(
        (text) => present({ socket_token: text }),
        // If `token` throws or rejects, the handshake uses the cookies. If the handshake fails, it is retried.
        () => present({}),
      );
    },
  });
  const dispatch = (frame: Frame) => {
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
    if (event === 'ready') tries = 0;
    dispatch({ ...frame, event: event as keyof Events });
  });
  const reconnect = (afterSeconds?: number) => {
    const leastMs = more?.reconnectionDelay ?? RETRY_MS.least;
    const mostMs = more?.reconnectionDelayMax ?? RETRY_MS.most;
    clearTimeout(retrying);
    retrying = setTimeout(() => socket.connect(), backOffMs({ tries, leastMs, mostMs, afterSeconds }));
    tries++;
  };
  socket.on('connect_error', (error: Error & { data?: { details?: unknown } }) =>
    reconnect(retryAfterSeconds(error.data?.details)),
  );
  socket.on('disconnect', (reason) => {
    if (reason !== 'io client disconnect') reconnect();
  });
  const ask = async (name: string, body: object): Promise<Done> => {
    const answer: Answer = await socket.timeout(ANSWER_MS).emitWithAck(name, body);
    if (!answer.ok) throw new Refusal(answer.error);
    return answer;
  };
  // Requests the changes for rooms that the page entered or left during the handshake.
  socket.on('connect', () => {
    const entered = [...wanted].filter((room) => !asked.has(room)).map((room) => ask('subscribe', { room }));
    const left = [...asked].filter((room) => !wanted.has(room)).map((room) => ask('unsubscribe', { room }));
    // No caller waits for these responses. If one fails, the next connection requests the rooms again.
    for (const answer of [...entered, ...left]) answer.catch(() => undefined);
  });

  const on = <N extends keyof Events>(event: N, handler: Handler<N>): (() => void) => {
    const all = handlers.get(event) ?? new Set<Handler<never>>();
    handlers.set(event, all.add(handler as Handler<never>));
    return () => void all.delete(handler as Handler<never>);
  };

  return {
    /** Calls `handler` for every event of this name. Returns a function that unsubscribes the handler. */
    on,

    /**
     * Calls `handler` when missed events cannot be replayed. The handler should read the displayed data over HTTP again. Later events
     * arrive as usual.
     */
    onResync: (handler: () => void): (() => void) => on('resync', () => handler()),

    /** Calls `handler` when the connection is lost. The client reconnects automatically and then receives `ready` again. */
    onDisconnect(handler: () => void): void {
      socket.on('disconnect', handler);
    },

    /** Enters a room, and enters it again after every interruption. Throws Refusal. */
    async subscribe(room: Room): Promise<void> {
      wanted.add(room);
      if (!socket.connected) return;
      try {
        await ask('subscribe', { room });
      } catch (error) {
        if (error instanceof Refusal) wanted.delete(room);
        throw error;
      }
    },

    /** Leaves a room. */
    async unsubscribe(room: Room): Promise<void> {
      wanted.delete(room);
      if (socket.connected) await ask('unsubscribe', { room });
    },

    /**
     * Sends a chat message and resolves when the message is stored. A message is stored once per `key`. Throws Refusal. After any other
     * error it is unknown whether the message was stored, so send it again with the same key. The message also arrives as the event
     * `chat.message`.
     */
    async send(room: ChatRoom, text: string, key: string = crypto.randomUUID()): Promise<Written> {
      const { messageId, at } = (await ask('chat.send', { room, text, key })) as Done & Written;
      return { messageId, at };
    },

    /** The newest known balance of each wallet, by currency. */
    balances: balances.all,
    /** Stores a balance that was read over HTTP (GET /accounting/balances), unless a newer version is known. */
    keepBalance: (balance: Balance): boolean => balances.learn(balance),

    /** The sequence number of the last received event. Undefined before the first connection. */
    lastSeq: (): number | undefined => order.from().lastSeq,
    isConnected: (): boolean => socket.connected,

    close(): void {
      clearTimeout(retrying);
      seqs.close();
      socket.disconnect();
    },
  };
}

type Done = { ok: true };
type Answer = Done | { ok: false; error: Problem };

/** Tracks the sequence number of the last event and ignores events that were already received. */
function createOrder(begin: number | undefined) {
  let lastSeq = begin;
  let seen = begin ?? -1;
  return {
    from: (): { lastSeq?: number } => (lastSeq === undefined ? {} : { lastSeq }),
    /** Returns true if a frame is new. After a reconnection, another server may send the last events a second time. */
    takes({ event, seq }: Frame): boolean {
      if (event === 'resync') {
        lastSeq = undefined;
        seen = -1;
      }
      // `ready` sets only the initial value, because events that waited for the replay arrive after it with a smaller `seq`.
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

/** Passes the last `seq` to the callback one second after it changed, and on close. */
function createSeqReporter(from: () => { lastSeq?: number }, onSeq: Options['onSeq']) {
  let reported: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const report = () => {
    clearTimeout(timer);
    timer = undefined;
    const { lastSeq } = from();
    if (lastSeq !== reported) onSeq?.(lastSeq);
    reported = lastSeq;
  };
  return {
    changed(): void {
      if (onSeq) timer ??= setTimeout(report, REPORT_MS);
    },
    close: report,
  };
}

/** Stores balances by currency. An older version never replaces a newer one. */
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
