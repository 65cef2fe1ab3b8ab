import { de } from './locales/de.ts';
import { en } from './locales/en.ts';
import { es } from './locales/es.ts';
import type { Texts } from './locales/texts.ts';

export const LANGUAGES = { en, de, es } satisfies Record<string, Texts>;
export type Language = keyof typeof LANGUAGES;

/** The language of mails for a user's `language`: the same one, the one without its region (`de-AT`, `de_AT`), else English. */
export function languageOf(wanted: string | null | undefined): Language {
  const base = (wanted ?? '').toLowerCase().split(/[-_]/)[0] ?? '';
  return Object.hasOwn(LANGUAGES, base) ? (base as Language) : 'en';
}
