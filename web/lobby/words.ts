import { local } from '../kit/storage.ts';
import { speak } from '../kit/words.ts';
import type { Frame } from './words/en.ts';

export const LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español' } as const;
export type Language = keyof typeof LANGUAGES;

type OfSection<M> = Readonly<Record<Language, () => Promise<M>>>;

/** What every page says. */
const FRAME: OfSection<Frame> = {
  en: async () => (await import('./words/en.ts')).en,
  de: async () => (await import('./words/de.ts')).de,
  es: async () => (await import('./words/es.ts')).es,
};

/** What some pages say beside that: loaded with the first of them. */
const SECTIONS = {
  account: {
    en: () => import('./words/account.en.ts'),
    de: () => import('./words/account.de.ts'),
    es: () => import('./words/account.es.ts'),
  },
  catalogue: {
    en: () => import('./words/catalogue.en.ts'),
    de: () => import('./words/catalogue.de.ts'),
    es: () => import('./words/catalogue.es.ts'),
  },
  games: {
    en: () => import('./words/games.en.ts'),
    de: () => import('./words/games.de.ts'),
    es: () => import('./words/games.es.ts'),
  },
  money: {
    en: () => import('./words/money.en.ts'),
    de: () => import('./words/money.de.ts'),
    es: () => import('./words/money.es.ts'),
  },
  offers: {
    en: () => import('./words/offers.en.ts'),
    de: () => import('./words/offers.de.ts'),
    es: () => import('./words/offers.es.ts'),
  },
  protection: {
    en: () => import('./words/protection.en.ts'),
    de: () => import('./words/protection.de.ts'),
    es: () => import('./words/protection.es.ts'),
  },
  codes: {
    en: () => import('./words/codes.en.ts'),
    de: () => import('./words/codes.de.ts'),
    es: () => import('./words/codes.es.ts'),
  },
};

export type Section = keyof typeof SECTIONS;
type WordsOf<M> = M extends { en: () => Promise<infer W> } ? W : never;
type All<U> = (U extends unknown ? (of: U) => void : never) extends (of: infer I) => void ? I : never;
export type Words = Frame & All<WordsOf<(typeof SECTIONS)[Section]>>;

/** What the lobby says, in the language that was loaded: of the frame always, of a section once its words are there. */
export const words = {} as Words;

const isLanguage = (code: string | null | undefined): code is Language => code != null && code in LANGUAGES;

/** The chosen language, else the first one of the browser that we speak. */
export function languageNow(): Language {
  const chosen = local.get('language');
  if (isLanguage(chosen)) return chosen;
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en';
}

/** Loads one language, before anything is drawn; the words for refusals follow, until then the server's stand for them. */
export async function loadWords(): Promise<void> {
  const language = languageNow();
  Object.assign(words, await FRAME[language]());
  const known = words as { codes?: Readonly<Record<string, string>> };
  speak(words.kit, ({ code, message }) => known.codes?.[code] ?? message);
  document.documentElement.lang = language;
  void loadSection('codes');
}

/** Loads the words of pages that are opened. */
export async function loadSection(section: Section): Promise<void> {
  Object.assign(words, await SECTIONS[section][languageNow()]());
}

/** Reloads the page in the selected language. */
export function chooseLanguage(language: Language): void {
  local.set('language', language);
  window.location.reload();
}
