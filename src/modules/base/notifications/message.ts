import type { z } from 'zod';
import type { Language } from '../mail/languages.ts';
import type { Notification } from './schemas.ts';

type Text<F> = string | ((facts: F) => string);
export type Message<F> = {
  type: z.output<typeof Notification>['type'];
  texts: Record<Language, { title: Text<F>; body: Text<F> }>;
};

/**
 * A notification as a module declares it (`messages` in declares.ts): plain text, short, without anything that only another place may show. Its code and
 * its facts are the payload: both only ever grow. Amounts are exact decimal text, moments ISO 8601 in UTC.
 */
export const message = <F = Record<never, never>>(
  type: Message<F>['type'],
  texts: Message<F>['texts'],
): Message<F> => ({ type, texts });

/** `2026-11-21 09:30 UTC` in every language. */
export const moment = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;
