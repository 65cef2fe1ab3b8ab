import { errors, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';

/** What a subscriber gets. `id` is the publisher's: a handler with an effect that must happen once stores it with the effect. */
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
export type Published = NewMessage & { id: string };

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

type SubscribeOptions = {
  /** Deliveries of a message before it is a dead letter. */
  maxAttempts?: number;
  /** The queue ends with its subscriber: for what every process has to hear of while it runs. */
  isTemporary?: boolean;
};

/**
 * Requests and events between processes, over PostgreSQL or RabbitMQ. Patterns are words with dots between them (`deposit.status`); in those of
 * a subscription `*` stands for one word and `#` for any number of them. What the broker cannot do now throws one of `brokerErrors`.
 */
export type Broker = {
  /** Asks one of the processes that respond to the pattern. Throws BROKER_TIMEOUT, BROKER_NO_RESPONDER, or BROKER_REFUSED with what the responder threw. */
  request(pattern: string, data: object, options?: { timeoutMs?: number }): Promise<unknown>;
  respond(pattern: string, handle: (data: unknown) => Promise<unknown>): Promise<void>;
  /** Resolves when the broker has stored it. Subscribers get it at least once, with this id. */
  publish(pattern: string, data: object, options?: { id?: string }): Promise<{ id: string }>;
  /** Publishes in this order. When it throws, some may have been published. */
  publishAll(messages: readonly NewMessage[]): Promise<void>;
  /**
   * A durable queue bound to patterns (`deposit.*`, `#`), which stays bound to them. Each process gets one message at a time, in the order
   * of publishing; one whose handler throws is tried again later, and is a dead letter after the last attempt.
   */
  subscribe(
    queue: string,
    patterns: readonly string[],
    handle: (message: Message) => Promise<void>,
    options?: SubscribeOptions,
  ): Promise<void>;
  /** A durable queue without a subscriber, which keeps the newest `most` messages. */
  declare(queue: string, patterns: readonly string[], options: { most: number }): Promise<void>;
  /** Messages that wait for a subscriber, and subscribers. Undefined: there is no such queue. */
  info(queue: string): Promise<{ messageCount: number; consumerCount: number } | undefined>;
  /** Throws away the messages that wait; answers how many. */
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
  /** Lets handlers finish, for five seconds at most; messages that were not handed out go back to their queues. */
  close(): Promise<void>;
};

/** What PostgreSQL and RabbitMQ do each in their way; `createBroker` makes the rest of it. */
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

/** What requests and their replies travel by. */
export type Transport = {
  /** A queue for letters that ends with its consumers; they are handled concurrently, and never again when that fails. */
  receive(queue: string, concurrency: number, handle: (letter: Letter) => Promise<void>): Promise<void>;
  /** False: nobody consumes the queue. A letter that is not taken in time is thrown away. */
  sendTo(queue: string, letter: Letter, ttlMs: number): Promise<boolean>;
};
/** A request or its reply, which has the same id. */
export type Letter = { id: string; pattern: string; data: unknown; replyTo?: string | undefined };

export const brokerErrors = errors({
  BROKER_TIMEOUT: [504, 'Nobody answered in time; the request may have been carried out all the same.'],
  BROKER_NO_RESPONDER: [503, 'No process that runs now responds to this pattern.'],
  BROKER_REFUSED: [422, 'The responder to this pattern refused; see details.'],
  BROKER_UNAVAILABLE: [503, 'The message broker does not answer; retry later.'],
  BROKER_PATTERN_INVALID: [400, 'A pattern is words of letters, digits, - and _, with dots between them.'],
});

/** How long a broker waits. Tests wait less. */
export type Waits = {
  /** Before the second, third … attempt; the last one holds for all that follow. */
  backoffMs: readonly number[];
  /** Longest wait of a publisher for a broker that does not answer. */
  publishMs: number;
};
export const WAITS: Waits = { backoffMs: [1000, 5000, 25_000, 60_000], publishMs: 3000 };
/** A dead letter is removed after so long. */
export const DEAD_DAYS = 30;

/** What a handler failed with, as it is stored beside a message. */
export const reasonOf = (error: unknown): string => messageOf(error).slice(0, 500);

type FailedAttempt = { queue: string; messageId: string; attempt: number; error: string };

export function logFailure(log: Log, failed: FailedAttempt, isLast: boolean): void {
  if (isLast) log.error(failed, 'a message failed for the last time; it is a dead letter');
  else log.warn(failed, 'a message failed; it is tried again');
}
