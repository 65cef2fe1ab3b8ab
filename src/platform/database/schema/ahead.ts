/**
 * Decides how a version of the platform treats unknown migrations that a newer version has run. A migration's name states which versions
 * are compatible with it. For example, `0092-drop-play-days-after-0086` is compatible with versions that have migration 0086, because these
 * versions no longer use the removed table. Any other migration preserves everything that earlier versions read and write (`npm run check`
 * enforces this).
 */
const AFTER = /-after-(\d{4})$/;

/** Returns the number in a migration's name. */
export const numberOf = (name: string): number => Number(name.slice(0, 4));

/**
 * Returns the number of the migration that a version must have to be compatible with the given migration. 0 means that any version is
 * compatible.
 */
export const neededBy = (name: string): number => Number(AFTER.exec(name)?.[1] ?? 0);

/** Returns the executed migrations that a version does not have. */
export function unknownOf(known: readonly string[], executed: readonly string[]): string[] {
  const own = new Set(known);
  return executed.filter((name) => !own.has(name));
}

/** Returns the unknown migrations that a version is not compatible with. */
export function unbearableOf(known: readonly string[], unknown: readonly string[]): string[] {
  const newest = Math.max(0, ...known.map(numberOf));
  return unknown.filter((name) => numberOf(name) <= newest || neededBy(name) > newest);
}
