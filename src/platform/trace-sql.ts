import type { LogEvent } from 'kysely';
import { pastSpan } from './trace.ts';

const LONGEST = 1000;

/** A span for each statement of Kysely that is part of something: its text without any value. */
export function traceStatement(event: LogEvent): void {
  const text = withoutValues(event.query.sql);
  const [operation = 'query'] = /^[a-z]+/i.exec(text) ?? [];
  pastSpan(`sql ${operation.toLowerCase()}`, {
    kind: 'client',
    attributes: { 'db.system.name': 'postgresql', 'db.query.text': text },
    ms: event.queryDurationMillis,
    ...(event.level === 'error' ? { error: event.error } : {}),
  });
}

/** Values are parameters; what still stands in a text, as a constant or an id, is replaced as well. */
export const withoutValues = (sql: string): string =>
  sql
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, LONGEST)
    .replace(/'(?:[^']|'')*('|$)/g, '?')
    .replace(/(?<![\w$."])\d[\d.]*/g, '?');
