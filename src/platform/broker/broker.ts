import { errors, messageOf } from '../errors.ts';

/** A message to publish. If it has no id, one is generated. */
export type NewMessage = { pattern: string; data: object; id?: string };
export type Published = NewMessage & { id: string };

/**
 * Requests and messages between processes, and events for external programs. Patterns are words separated by dots (`deposit.status`).
 * Operations that the broker cannot perform throw one of `brokerErrors`.
 */
export type Broker = {
  /**
   * Sends a request to one of the processes that respond to the pattern and returns its reply. Throws BROKER_TIMEOUT, BROKER_NO_RESPONDER,
   * or BROKER_REFUSED with the responder's error.
   */
  request(pattern: string, data: object, options?: { timeoutMs?: number }): Promise<unknown>;
  respond(pattern: string, handle: (data: unknown) => Promise<unknown>): Promise<void>;
  /** Resolves when RabbitMQ has stored the message in the queues that external programs have bound, or when PostgreSQL has sent it. */
  publish(pattern: string, data: object, options?: { id?: string }): Promise<{ id: string }>;
  /** Publishes the messages in this order. If it throws, some of them may have been published. */
  publishAll(messages: readonly NewMessage[]): Promise<void>;
  /** Receives messages with the pattern in this process while it runs. A message whose handler throws is logged and not repeated. */
  listen(pattern: string, handle: (data: unknown) => Promise<void>): Promise<void>;
  /** Throws BROKER_UNAVAILABLE unless the broker responds. */
  check(): Promise<void>;
  /** Waits at most five seconds for running handlers. */
  close(): Promise<void>;
};

/** The functions that differ between PostgreSQL and RabbitMQ. `openBroker` adds the rest. */
export type Driver = Transport &
  Pick<Broker, 'listen' | 'check' | 'close'> & { publish(messages: readonly Published[]): Promise<void> };

/** Transport for requests and their replies. */
export type Transport = {
  /**
   * Consumes a queue of requests or replies. The queue is deleted when its last consumer stops. Messages are handled concurrently and never
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

const PATTERN = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
/** AMQP limit for patterns and queue names. */
const LONGEST = 200;

/** Throws BROKER_PATTERN_INVALID unless messages can be published with the pattern. */
export function assertPattern(pattern: string): void {
  if (pattern.length > LONGEST || !PATTERN.test(pattern))
    throw brokerErrors.BROKER_PATTERN_INVALID({ pattern });
}

/** Returns an error as logged text, at most 500 characters. */
export const reasonOf = (error: unknown): string => messageOf(error).slice(0, 500);
