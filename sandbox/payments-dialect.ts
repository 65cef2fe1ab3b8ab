import type { Endpoint, SandboxAnswer, SandboxRequest } from './endpoint.ts';
import type { createBehaviour } from './payments-behaviour.ts';
import type { Books } from './payments-books.ts';
import { answerAs } from './payments-faults.ts';

type Work = (request: SandboxRequest) => SandboxAnswer;
/** Dependencies of a dialect. `answer` wraps an operation with the configured behaviour. */
export type Dialect = {
  books: Books;
  answer: (
    of: 'payouts' | 'lookups' | 'addresses',
    work: Work,
    refuse: () => SandboxAnswer,
  ) => Endpoint['handle'];
};

export const createDialect = (books: Books, behaviour: ReturnType<typeof createBehaviour>): Dialect => ({
  books,
  answer: (of, work, refuse) => (request) =>
    answerAs(behaviour.pick(of), { ...behaviour.get(), work: () => work(request), refuse }),
});

/** Returns a JSON number that is serialised exactly as written, without becoming a float. */
export const exact = (text: string): unknown =>
  (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);

/** Parses JSON and returns each number as its original text, converted by `as`. Returns {} for invalid JSON. */
export function parseNumbersAsText(
  body: string,
  as: (source: string) => unknown = (source) => source,
): unknown {
  type Reviver = (key: string, value: unknown, context: { source: string }) => unknown;
  const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;
  try {
    return parse(body, (_key, value, { source }) => (typeof value === 'number' ? as(source) : value)) ?? {};
  } catch {
    return {};
  }
}
