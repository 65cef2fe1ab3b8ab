import { local } from '../kit/storage.ts';
import { speak } from '../kit/words.ts';
import { refusalTextIn } from './refusal-text.ts';
import type { Frame } from './words/en.ts';

export const LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español', pt: 'Português' } as const;
export type Language = keyof typeof LANGUAGES;

/** Texts that every page needs. */
const FRAME: Readonly<Record<Language, () => Promise<Frame>>> = {
  en: async () => (await import('./words/en.ts')).en,
  de: async () => (await import('./words/de.ts')).de,
  es: async () => (await import('./words/es.ts')).es,
  pt: async () => (await import('./words/pt.ts')).pt,
};

/** Texts of a section, loaded with the first of its pages. */
const SECTIONS = {
  account: {
    en: () => import('./words/account.en.ts'),
    de: () => import('./words/account.de.ts'),
    es: () => import('./words/account.es.ts'),
    pt: () => import('./words/account.pt.ts'),
  },
  catalogue: {
    en: () => import('./words/catalogue.en.ts'),
    de: () => import('./words/catalogue.de.ts'),
    es: () => import('./words/catalogue.es.ts'),
    pt: () => import('./words/catalogue.pt.ts'),
  },
  games: {
    en: () => import('./words/games.en.ts'),
    de: () => import('./words/games.de.ts'),
    es: () => import('./words/games.es.ts'),
    pt: () => import('./words/games.pt.ts'),
  },
  money: {
    en: () => import('./words/money.en.ts'),
    de: () => import('./words/money.de.ts'),
    es: () => import('./words/money.es.ts'),
    pt: () => import('./words/money.pt.ts'),
  },
  offers: {
    en: () => import('./words/offers.en.ts'),
    de: () => import('./words/offers.de.ts'),
    es: () => import('./words/offers.es.ts'),
    pt: () => import('./words/offers.pt.ts'),
  },
  club: {
    en: () => import('./words/club.en.ts'),
    de: () => import('./words/club.de.ts'),
    es: () => import('./words/club.es.ts'),
    pt: () => import('./words/club.pt.ts'),
  },
  news: {
    en: () => import('./words/news.en.ts'),
    de: () => import('./words/news.de.ts'),
    es: () => import('./words/news.es.ts'),
    pt: () => import('./words/news.pt.ts'),
  },
  protection: {
    en: () => import('./words/protection.en.ts'),
    de: () => import('./words/protection.de.ts'),
    es: () => import('./words/protection.es.ts'),
    pt: () => import('./words/protection.pt.ts'),
  },
  codes: {
    en: () => import('./words/codes.en.ts'),
    de: () => import('./words/codes.de.ts'),
    es: () => import('./words/codes.es.ts'),
    pt: () => import('./words/codes.pt.ts'),
  },
};

export type Section = keyof typeof SECTIONS;
type WordsOf<M> = M extends { en: () => Promise<infer W> } ? W : never;
type All<U> = (U extends unknown ? (of: U) => void : never) extends (of: infer I) => void ? I : never;
export type Words = Frame & All<WordsOf<(typeof SECTIONS)[Section]>>;

/** The lobby's texts in the loaded language. Texts of a section are missing until they are loaded. */
export const words = {} as Words;

/** A language for tests, which is only selected by its code. It is written from right to left. */
const PSEUDO = 'qps';
const isPseudo = () => local.get('language') === PSEUDO;

const isLanguage = (code: string | null | undefined): code is Language =>
  code != null && Object.hasOwn(LANGUAGES, code);

/** Returns the selected language, otherwise the browser's first language that the lobby supports. */
export function languageNow(): Language {
  const chosen = local.get('language');
  if (isLanguage(chosen)) return chosen;
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en';
}

/** Loads a language before the first render. The texts of server errors follow; until then the server's messages are shown. */
export async function loadWords(): Promise<void> {
  const language = languageNow();
  Object.assign(words, await shown(await FRAME[language]()));
  speak(words.kit, refusalTextIn(words));
  document.documentElement.lang = language;
  document.documentElement.dir = isPseudo() ? 'rtl' : 'ltr';
  void loadSection('codes');
}

/** Loads the texts of sections whose pages are opened. */
export async function loadSection(section: Section): Promise<void> {
  Object.assign(words, await shown(await SECTIONS[section][languageNow()]()));
}

/** Reloads the page in the selected language. */
export function chooseLanguage(language: Language): void {
  local.set('language', language);
  window.location.reload();
}

const shown = async <T>(texts: T): Promise<T> =>
  isPseudo() ? (await import('./pseudo.ts')).pseudo(texts) : texts;
