import type { LogEvent } from 'kysely';
import { pastSpan } from './trace.ts';

const LONGEST = 1000;

/** Records a span for each Kysely statement within a trace, with its text but without values. */
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

/** Removes values from a statement. Most values are parameters. Constants and ids in the text are also replaced. */
export const withoutValues = (sql: string): string =>
  sql
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, LONGEST)
    .replace(/'(?:[^']|'')*('|$)/g, '?')
    .replace(/(?<![\w$."])\d[\d.]*/g, '?');
