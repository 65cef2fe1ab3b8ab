import type { QueryKey } from '@tanstack/react-query';

/** Returns true if two reads differ in the query or the body alone. */
export function isSameObject(one: QueryKey | undefined, other: QueryKey): boolean {
  const objectOf = ([op, input]: QueryKey) => JSON.stringify([op, (input as { path?: unknown })?.path]);
  return one !== undefined && objectOf(one) === objectOf(other);
}
