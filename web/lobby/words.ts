import { speak } from '../kit/words.ts';
import type { Words } from './words/en.ts';

export const LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español' } as const;
export type Language = keyof typeof LANGUAGES;

const LOAD: Readonly<Record<Language, () => Promise<Words>>> = {
  en: async () => (await import('./words/en.ts')).en,
  de: async () => (await import('./words/de.ts')).de,
  es: async () => (await import('./words/es.ts')).es,
};

/** What the lobby says, in the language that was loaded; empty until `loadWords` is done. */
export const words = {} as Words;

const isLanguage = (code: string | null | undefined): code is Language => code != null && code in LANGUAGES;

/** The chosen language, else the first one of the browser that we speak. */
export function languageNow(): Language {
  const chosen = localStorage.getItem('language');
  if (isLanguage(chosen)) return chosen;
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en';
}

/** Loads one language, before anything is drawn. */
export async function loadWords(): Promise<void> {
  const language = languageNow();
  Object.assign(words, await LOAD[language]());
  speak(words.kit);
  document.documentElement.lang = language;
}

/** The page is loaded anew in it. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem('language', language);
  window.location.reload();
}
