/**
 * What a version of the platform makes of migrations that it does not know, because a newer version has run them. By its name a migration says which
 * versions can live with it: `0072-drop-play-days-after-0066` those that have 0066, as nothing since then uses what it takes away. Every
 * other one leaves all that versions before it read and write (`npm run check` holds authors to it).
 */
const AFTER = /-after-(\d{4})$/;

/** The number of a migration, by its name. */
export const numberOf = (name: string): number => Number(name.slice(0, 4));

/** The number of the migration that a version has to have to live with this one; 0: any version can. */
export const neededBy = (name: string): number => Number(AFTER.exec(name)?.[1] ?? 0);

/** Of what has run: the migrations that a version with these does not know. */
export function unknownOf(known: readonly string[], executed: readonly string[]): string[] {
  const own = new Set(known);
  return executed.filter((name) => !own.has(name));
}

/** Of migrations that a version does not know, those that it cannot live with. */
export function unbearableOf(known: readonly string[], unknown: readonly string[]): string[] {
  const newest = Math.max(0, ...known.map(numberOf));
  return unknown.filter((name) => numberOf(name) <= newest || neededBy(name) > newest);
}
