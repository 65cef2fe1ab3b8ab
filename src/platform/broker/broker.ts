import { errors, messageOf } from '../errors.ts';
import type { Log } from '../observability/log.ts';

/**
 * A message in the form that subscribers receive. `id` is set by the publisher. A handler whose effect must happen only once stores the id
 * together with the effect.
 */
export type Message = {
  id: string;
  pattern: string;
  data: unknown;
  headers: Record<string, unknown>;
  /** The number of this delivery attempt, starting at 1. */
  attempt: number;
  /** True if the message may have been delivered before. */
  redelivered: boolean;
  enqueuedAt: Date | null;
};

/** A message to publish. If it has no id, one is generated. */
export type NewMessage = { pattern: string; data: object; id?: string };
export type Published = NewMessage & { id: string };

/** A message whose attempts are exhausted. It has its own id because the same message may become a dead letter in several queues. */
export type DeadLetter = {
  id: string;
  queue: string;
  messageId: string;
  pattern: string;
  data: unknown;
  attempts: number;
  /** The error of the last attempt. */
  reason: string;
  diedAt: Date | null;
};

type SubscribeOptions = {
  /** Number of failed deliveries after which a message becomes a dead letter. */
  maxAttempts?: number;
  /** If true, the queue is deleted when its subscriber ends. Used for events that every running process must receive. */
  isTemporary?: boolean;
};

/**
 * Requests and events between processes, over PostgreSQL or RabbitMQ. Patterns are words separated by dots (`deposit.status`). In a
 * subscription `*` matches one word and `#` matches any number of words. Operations that the broker cannot perform throw one of
 * `brokerErrors`.
 */
export type Broker = {
  /**
   * Sends a request to one of the processes that respond to the pattern and returns its reply. Throws BROKER_TIMEOUT, BROKER_NO_RESPONDER,
   * or BROKER_REFUSED with the responder's error.
   */
  request(pattern: string, data: object, options?: { timeoutMs?: number }): Promise<unknown>;
  respond(pattern: string, handle: (data: unknown) => Promise<unknown>): Promise<void>;
  /** Resolves when the broker has stored the message. Subscribers receive it at least once, with this id. */
  publish(pattern: string, data: object, options?: { id?: string }): Promise<{ id: string }>;
  /** Publishes the messages in this order. If it throws, some of them may have been published. */
  publishAll(messages: readonly NewMessage[]): Promise<void>;
  /**
   * Subscribes to a durable queue. Its bindings to the patterns (`deposit.*`, `#`) are permanent. Each process receives one message at a
   * time, in publishing order. A message whose handler throws is retried later and becomes a dead letter after the last attempt.
   */
  subscribe(
    queue: string,
    patterns: readonly string[],
    handle: (message: Message) => Promise<void>,
    options?: SubscribeOptions,
  ): Promise<void>;
  /** Creates a durable queue without a subscriber. It keeps only the newest `most` messages. */
  declare(queue: string, patterns: readonly string[], options: { most: number }): Promise<void>;
  /** Counts waiting messages and subscribers. Returns undefined if the queue does not exist. */
  info(queue: string): Promise<{ messageCount: number; consumerCount: number } | undefined>;
  /** Deletes the waiting messages and returns their number. Returns undefined if the queue does not exist. */
  purge(queue: string): Promise<number | undefined>;
  /** Returns the first `count` waiting messages without removing them. Returns undefined if the queue does not exist. */
  peek(queue: string, count: number): Promise<Message[] | undefined>;
  /** Dead letters of all queues, oldest first. */
  dead: {
    count(): Promise<number>;
    list(most: number): Promise<DeadLetter[]>;
    /**
     * `redrive` puts the message back into its queue and resets its number of attempts. `drop` deletes the dead letter. Both return false
     * if there is no such dead letter.
     */
    redrive(id: string): Promise<boolean>;
    drop(id: string): Promise<boolean>;
  };
  /** Waits at most five seconds for running handlers. Messages not yet passed to a handler are returned to their queues. */
  close(): Promise<void>;
};

/** The functions that differ between PostgreSQL and RabbitMQ. `createBroker` adds the rest. */
export type Driver = Transport &
  Pick<Broker, 'info' | 'purge' | 'peek' | 'dead' | 'close'> & {
    publish(messages: readonly Published[]): Promise<void>;
    subscribe(form: Subscription): Promise<void>;
    declare(form: { queue: string; patterns: readonly string[]; most: number }): Promise<void>;
  };
export type Subscription = Required<SubscribeOptions> & {
  queue: string;
  patterns: readonly string[];
  handle: (message: Message) => Promise<void>;
};

/** Transport for requests and their replies. */
export type Transport = {
  /**
   * Consumes a queue of requests or replies. The queue is deleted with its last consumer. Messages are handled concurrently and never
   * retried.
   */
  receive(queue: string, concurrency: number, handle: (letter: Letter) => Promise<void>): Promise<void>;
  /** Sends a message to a queue. Returns false if the queue has no consumer. A message not consumed within `ttlMs` is deleted. */
  sendTo(queue: string, letter: Letter, ttlMs: number): Promise<boolean>;
};
/** A request or its reply. Both have the same id. */
export type Letter = { id: string; pattern: string; data: unknown; replyTo?: string | undefined };

export const brokerErrors = errors({
  BROKER_TIMEOUT: [
    504,
    'No response in time. The request may still have been carried out, so check before you repeat it.',
  ],
  BROKER_NO_RESPONDER: [503, 'No running process responds to this pattern.'],
  BROKER_REFUSED: [422, 'The responder rejected the request; see details.'],
  BROKER_UNAVAILABLE: [503, 'The message broker is not responding; try again later.'],
  BROKER_PATTERN_INVALID: [
    400,
    'The pattern is invalid. Use words of letters, digits, - and _, separated by dots.',
  ],
});

/** Timeouts of a broker. Tests use shorter timeouts. */
export type Waits = {
  /** Pauses before the second, the third and later attempts. The last value applies to all further attempts. */
  backoffMs: readonly number[];
  /** Longest time a publisher waits for an unresponsive broker. */
  publishMs: number;
};
export const WAITS: Waits = { backoffMs: [1000, 5000, 25_000, 60_000], publishMs: 3000 };
/** Days after which a dead letter is deleted. */
export const DEAD_DAYS = 30;

/** Returns a handler's error in the form stored with a message, at most 500 characters. */
export const reasonOf = (error: unknown): string => messageOf(error).slice(0, 500);

type FailedAttempt = { queue: string; messageId: string; attempt: number; error: string };

export function logFailure(log: Log, failed: FailedAttempt, isLast: boolean): void {
  if (isLast) log.error(failed, 'a message failed its last attempt and is now a dead letter');
  else log.warn(failed, 'a message failed; retrying');
}
