import type { z } from 'zod';
import type { Language } from '../mail/languages.ts';
import type { Notification } from './schemas.ts';

type Text<F> = string | ((facts: F) => string);
export type Message<F> = {
  type: z.output<typeof Notification>['type'];
  texts: Record<Language, { title: Text<F>; body: Text<F> }>;
};

/**
 * A notification as a module declares it (`messages` in declares.ts): short plain text without confidential data. Its code and facts form
 * the payload of stored notifications, so neither may be removed later. Amounts are exact decimal text, times ISO 8601 in UTC.
 */
export const message = <F = Record<never, never>>(
  type: Message<F>['type'],
  texts: Message<F>['texts'],
): Message<F> => ({ type, texts });

/** Formats a time the same way in every language: `2026-11-21 09:30 UTC`. */
export const moment = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;
