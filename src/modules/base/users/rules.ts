/** Characters that look alike, each to the one that stands for them. Usernames have ASCII letters, digits and `_` only. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'l',
  i: 'l',
  '5': 's',
  '2': 'z',
  '8': 'b',
};

/** What a username looks like: two names with one skeleton could be taken for each other, so only one of them may exist. */
export function skeletonOf(username: string): string {
  return username
    .toLowerCase()
    .replace(/vv/g, 'w')
    .replace(/rn/g, 'm')
    .replace(/[01258i]/g, (c) => LOOKALIKES[c]!);
}

/**
 * How a text is looked for: anywhere in usernames and e-mail addresses when it has three letters or digits in a row, which is
 * what the trigram indexes know, else at the beginning of usernames.
 */
export type Search = { text: string; pattern: string; isPrefix: boolean; id: number | undefined };

const MAX_ID = 2_147_483_647;

/** What to look for when staff types `text`; undefined for nothing. Wildcards in it stand for themselves. */
export function searchFor(text: string): Search | undefined {
  const wanted = text.trim();
  if (wanted === '') return undefined;
  const escaped = wanted.replace(/[\\%_]/g, (c) => `\\${c}`);
  const isPrefix = !/[\p{L}\p{N}]{3}/u.test(wanted);
  const id = /^[1-9]\d{0,9}$/.test(wanted) && Number(wanted) <= MAX_ID ? Number(wanted) : undefined;
  return { text: wanted, pattern: isPrefix ? `${escaped}%` : `%${escaped}%`, isPrefix, id };
}
