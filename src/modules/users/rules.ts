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
