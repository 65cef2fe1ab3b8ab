const ACCENTS: Readonly<Record<string, string>> = {
  a: 'á',
  e: 'é',
  i: 'í',
  o: 'ó',
  u: 'ú',
  A: 'Á',
  E: 'É',
  O: 'Ó',
};

/** Returns texts of the language for tests: English with accents, and longer. A text that stays plain was written into a page. */
export function pseudo<T>(texts: T): T {
  if (typeof texts === 'string')
    return /^[a-z]{2}-[A-Z]{2}$/.test(texts)
      ? texts
      : (`⟦${texts.replace(/[aeiouAEO]/g, (c) => ACCENTS[c]!)}⟧` as T);
  if (typeof texts === 'function') return ((...given: unknown[]) => pseudo(texts(...given))) as T;
  if (typeof texts !== 'object' || texts === null) return texts;
  const entries = Object.entries(texts).map(([name, text]) => [name, pseudo(text)]);
  return (Array.isArray(texts) ? entries.map(([, text]) => text) : Object.fromEntries(entries)) as T;
}
