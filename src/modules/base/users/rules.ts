/** Maps each look-alike character to one representative. Usernames contain only ASCII letters, digits and `_`. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'l',
  i: 'l',
  '5': 's',
  '2': 'z',
  '8': 'b',
};

/** Returns the skeleton of a username. Names that look alike have the same skeleton, and only one of them may exist. */
export function skeletonOf(username: string): string {
  return username
    .toLowerCase()
    .replace(/vv/g, 'w')
    .replace(/rn/g, 'm')
    .replace(/[01258i]/g, (c) => LOOKALIKES[c]!);
}

/**
 * A search for users. Text with three consecutive letters or digits can use the trigram indexes, so it is searched anywhere in usernames
 * and email addresses. Shorter text is searched only at the beginning of usernames.
 */
export type Search = { text: string; pattern: string; isPrefix: boolean; id: number | undefined };

/** The largest id of a user, a game or a row of any other table with 32-bit ids. */
export const MAX_ID = 2_147_483_647;

/** Escapes the wildcards of LIKE. */
const escapeLike = (text: string): string => text.replace(/[\\%_]/g, (c) => `\\${c}`);

/** Returns the LIKE pattern of texts that begin with this one. */
export const beginningWith = (text: string): string => `${escapeLike(text)}%`;

/**
 * Returns the search pattern for text entered by staff, and the user id if the text may be one. Returns undefined if the text is blank.
 * Wildcards are escaped.
 */
export function searchFor(text: string): Search | undefined {
  const wanted = text.trim();
  if (wanted === '') return undefined;
  const isPrefix = !/[\p{L}\p{N}]{3}/u.test(wanted);
  const id = /^[1-9]\d{0,9}$/.test(wanted) && Number(wanted) <= MAX_ID ? Number(wanted) : undefined;
  return {
    text: wanted,
    pattern: isPrefix ? beginningWith(wanted) : `%${escapeLike(wanted)}%`,
    isPrefix,
    id,
  };
}

/** Returns the username of an erased account. Players cannot choose names of this form. */
export const erasedName = (userId: number): string => `erased-${userId}`;

export const isErased = ({ id, username }: { id: number; username: string | null }): boolean =>
  username === erasedName(id);
