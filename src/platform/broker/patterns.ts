import { brokerErrors } from './broker.ts';

const WORD = '[A-Za-z0-9_-]+';
const PUBLISHED = new RegExp(`^${WORD}(\\.${WORD})*$`);
const BOUND = new RegExp(`^(${WORD}|[*#])(\\.(${WORD}|[*#]))*$`);
/** AMQP limit for patterns and queue names. */
const LONGEST = 200;

/** Throws BROKER_PATTERN_INVALID unless messages can be published with the pattern. */
export function assertPattern(pattern: string): void {
  if (pattern.length > LONGEST || !PUBLISHED.test(pattern))
    throw brokerErrors.BROKER_PATTERN_INVALID({ pattern });
}

/** Throws BROKER_PATTERN_INVALID unless queues can be bound to the patterns. */
export function assertBindings(patterns: readonly string[]): void {
  const wrong = patterns.find((pattern) => pattern.length > LONGEST || !BOUND.test(pattern));
  if (wrong !== undefined) throw brokerErrors.BROKER_PATTERN_INVALID({ pattern: wrong });
}

/**
 * Converts an AMQP topic pattern to a PostgreSQL regular expression. The expression is matched against the published pattern followed by a
 * dot.
 */
export const matcherOf = (pattern: string): string =>
  `^${pattern
    .split('.')
    .map((word) => (word === '#' ? '([^.]+\\.)*' : word === '*' ? '[^.]+\\.' : `${word}\\.`))
    .join('')}$`;
