import { type AppError, errors } from '../errors.ts';

/** What a subscriber gets. `id` is the publisher's: whoever must do a thing once remembers it (subscribeOnce). */
export type Message = {
  id: string;
  pattern: string;
  data: unknown;
  headers: Record<string, unknown>;
  /** 1 when it comes for the first time. */
  attempt: number;
  /** It may have been delivered before. */
  redelivered: boolean;
  enqueuedAt: Date | null;
};

/** What is published. Without an id it gets one. */
export type NewMessage = { pattern: string; data: object; id?: string };

/** A message that was given up, by an id of its own: the same message may die in several queues. */
export type DeadLetter = {
  id: string;
  queue: string;
  messageId: string;
  pattern: string;
  data: unknown;
  attempts: number;
  /** What the last attempt failed with. */
  reason: string;
  diedAt: Date | null;
};

export type SubscribeOptions = {
  /** Deliveries of a message before it is a dead letter. */
  maxAttempts?: number;
  /** The queue ends with its subscriber: for what every process has to hear of while it runs. */
  isTemporary?: boolean;
};

/**
 * Requests and events between processes, over PostgreSQL or RabbitMQ. Patterns are words with dots between them (`deposit.status`); whoever
 * subscribes may say `*` for one word and `#` for any number of them. What the broker cannot do now throws one of `brokerErrors`.
 */
export type Broker = {
  /** Asks whoever responds to the pattern, one of them. Throws BROKER_TIMEOUT, BROKER_NO_RESPONDER, or BROKER_REFUSED with what the responder threw. */
  request(pattern: string, data: object, options?: { timeoutMs?: number }): Promise<unknown>;
  respond(pattern: string, handle: (data: unknown) => Promise<unknown>): Promise<void>;
  /** Resolves when the broker has it for good. Subscribers get it at least once, with this id. */
  publish(pattern: string, data: object, options?: { id?: string }): Promise<{ id: string }>;
  /** Publishes in this order. When it throws, some may have been published. */
  publishAll(messages: readonly NewMessage[]): Promise<void>;
  /**
   * A durable queue bound to patterns (`deposit.*`, `#`), which stays bound to them. One message at a time and process, in the order of
   * their publishing; one whose handler throws is tried again later, then it is a dead letter.
   */
  subscribe(
    queue: string,
    patterns: readonly string[],
    handle: (message: Message) => Promise<void>,
    options?: SubscribeOptions,
  ): Promise<void>;
  /** A durable queue without a subscriber, of which the newest `most` messages are kept. */
  declare(queue: string, patterns: readonly string[], options: { most: number }): Promise<void>;
  /** Messages that wait for a subscriber, and subscribers. Undefined: there is no such queue. */
  info(queue: string): Promise<{ messageCount: number; consumerCount: number } | undefined>;
  /** Throws away what waits; answers how many. */
  purge(queue: string): Promise<number | undefined>;
  /** The first `count` messages that wait; they stay. */
  peek(queue: string, count: number): Promise<Message[] | undefined>;
  /** Dead letters of all queues, oldest first. */
  dead: {
    count(): Promise<number>;
    list(most: number): Promise<DeadLetter[]>;
    /** Puts the letter back into its queue, with all its attempts, or throws it away. False: it is not there. */
    redrive(id: string): Promise<boolean>;
    drop(id: string): Promise<boolean>;
  };
  /** Lets what is being handled finish, for five seconds at most; what was not begun goes back to its queue. */
  close(): Promise<void>;
};

export const brokerErrors = errors({
  BROKER_TIMEOUT: [504, 'Nobody answered in time; the request may have been carried out all the same.'],
  BROKER_NO_RESPONDER: [503, 'No process that runs now responds to this pattern.'],
  BROKER_REFUSED: [422, 'Whoever responds to this pattern refused; see details.'],
  BROKER_UNAVAILABLE: [503, 'The message broker does not answer; retry later.'],
  BROKER_PATTERN_INVALID: [400, 'A pattern is words of letters, digits, - and _, with dots between them.'],
});

/** How a broker waits. Tests wait less. */
export type Waits = {
  /** Before the second, third … attempt; the last one holds for all that follow. */
  backoffMs: readonly number[];
  /** Longest wait of a publisher for a broker that is away. */
  publishMs: number;
};
export const WAITS: Waits = { backoffMs: [1000, 5000, 25_000, 60_000], publishMs: 3000 };
export const MAX_ATTEMPTS = 5;
/** A dead letter that nobody has asked for in so long goes. */
export const DEAD_DAYS = 30;
export const REQUEST_MS = 5000;

/** What a responder sends back. */
export type Reply =
  | { ok: true; value: unknown }
  | { ok: false; refusal: { code: string; message: string; details?: unknown } };

/** Runs a responder; what it throws becomes a refusal, without the inside of what nobody expected. */
export async function replyOf(
  handle: (data: unknown) => Promise<unknown>,
  data: unknown,
  onFailure: (error: unknown) => void,
): Promise<Reply> {
  try {
    return { ok: true, value: (await handle(data)) ?? null };
  } catch (error) {
    const { status, code, message, details } = error as Partial<AppError>;
    if (status !== undefined && code !== undefined && message !== undefined)
      return { ok: false, refusal: { code, message, ...(details ? { details } : {}) } };
    onFailure(error);
    return { ok: false, refusal: { code: 'INTERNAL_ERROR', message: 'The responder failed.' } };
  }
}

export function valueIn(reply: Reply): unknown {
  if (reply.ok) return reply.value;
  throw brokerErrors.BROKER_REFUSED(reply.refusal);
}

/** What a handler failed with, as it is kept beside a message. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 500);
