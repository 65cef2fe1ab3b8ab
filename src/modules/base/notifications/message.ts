import type { z } from 'zod';
import type { Language } from '../mail/languages.ts';
import type { Notification } from './schemas.ts';

type Text<F> = string | ((facts: F) => string);
export type Message<F> = {
  code: string;
  type: z.output<typeof Notification>['type'];
  texts: Record<Language, { title: Text<F>; body: Text<F> }>;
};

/**
 * A notification as a module declares it (`messages` in its module.ts): short plain text without confidential data. Its code and facts form
 * the payload of stored notifications, so neither may be removed later. Amounts are exact decimal text, times ISO 8601 in UTC.
 */
export const message = <F = Record<never, never>>(
  type: Message<F>['type'],
  texts: Message<F>['texts'],
): Omit<Message<F>, 'code'> => ({ type, texts });

/** The notifications of a module by code. The module lists them in `messages` of its module.ts. */
export function messages<const C extends Readonly<Record<string, object>>>(catalogue: C) {
  const coded = Object.entries(catalogue).map(([code, one]) => [code, { code, ...one }]);
  return Object.fromEntries(coded) as { readonly [N in keyof C & string]: C[N] & { code: N } };
}

/** Formats a time the same way in every language: `2026-11-21 09:30 UTC`. */
export const moment = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;
