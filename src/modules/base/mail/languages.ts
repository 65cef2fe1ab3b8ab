import { de } from './locales/de.ts';
import { en } from './locales/en.ts';
import { es } from './locales/es.ts';
import type { Texts } from './locales/texts.ts';

export const LANGUAGES = { en, de, es } satisfies Record<string, Texts>;
export type Language = keyof typeof LANGUAGES;

/** Returns the language of emails and notifications for a user's `language`. Ignores the region (`de-AT`, `de_AT`); the default is English. */
export function languageOf(wanted: string | null | undefined): Language {
  const base = (wanted ?? '').toLowerCase().split(/[-_]/)[0] ?? '';
  return Object.hasOwn(LANGUAGES, base) ? (base as Language) : 'en';
}
