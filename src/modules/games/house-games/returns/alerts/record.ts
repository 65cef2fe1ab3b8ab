import { sql } from 'kysely';
import type { Db, DbOrTx, Tx } from '../../../../../platform/db.ts';
import type { Metrics } from '../../../../../platform/metrics.ts';
import { type Verdict, watch } from './rules.ts';

export type Kind = 'RETURN' | 'UNIFORMITY';
export type Game = { id: number; slug: string };
/** A window of a game that ends at `until`. */
export type Due = { game: Game; kind: Kind; until: Date };

/**
 * The verdict on a window. `failures`: how many failing windows in a row raise an alert, where that is not the usual number.
 * `untestedFrom`: where the next window begins.
 */
export type Found<F> = { verdict: Verdict; facts: F; failures?: number; untestedFrom?: Date | null };

/** House games whose window of this kind that ends at `until` has not been judged yet. */
export const dueGames = (db: DbOrTx, kind: Kind, until: Date): Promise<Game[]> =>
  db
    .selectFrom('games')
    .leftJoin('return_alerts', (on) =>
      on.onRef('return_alerts.game_id', '=', 'games.id').on('kind', '=', kind),
    )
    .select(['games.id', 'games.slug'])
    .where('games.type', '=', 'HOUSE_GAME')
    .where((eb) => eb.or([eb('judged_until', 'is', null), eb('judged_until', '<', until)]))
    .orderBy('games.id')
    .execute();

/**
 * Judges a window once, however many processes try; answers its facts when it raises an alert. `judge` is called with the row locked
 * and answers undefined when the window cannot be judged yet.
 */
export async function judgeOnce<F>(
  tx: Tx,
  { game, kind, until }: Due,
  judge: (untestedFrom: Date | null) => Promise<Found<F> | undefined> | Found<F>,
): Promise<F | undefined> {
  await tx
    .insertInto('return_alerts')
    .values({ game_id: game.id, kind, judged_until: new Date(0) })
    .onConflict((oc) => oc.doNothing())
    .execute();
  const row = await tx
    .selectFrom('return_alerts')
    .select(['misses', 'judged_until', 'raised_at', 'untested_from'])
    .where('game_id', '=', game.id)
    .where('kind', '=', kind)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (row.judged_until >= until) return undefined;
  const found = await judge(row.untested_from);
  if (!found) return undefined;
  const before = { misses: row.misses, isRaised: row.raised_at !== null };
  const { misses, isRaised, isNew } = watch(before, found.verdict, found.failures);
  const raised = isNew ? sql<Date>`now()` : row.raised_at;
  await tx
    .updateTable('return_alerts')
    .set({ misses, judged_until: until, raised_at: isRaised ? raised : null })
    .set({ facts: JSON.stringify(found.facts), untested_from: found.untestedFrom ?? null })
    .where('game_id', '=', game.id)
    .where('kind', '=', kind)
    .execute();
  return isNew ? found.facts : undefined;
}

/** Shows in the metrics which alerts are raised. */
export async function showAlerts(db: Db, metrics: Metrics): Promise<void> {
  const rows = await db
    .selectFrom('return_alerts')
    .innerJoin('games', 'games.id', 'game_id')
    .select(['slug', 'kind', 'raised_at'])
    .execute();
  for (const { slug, kind, raised_at } of rows)
    metrics.returnAlerts.set({ game: slug, kind }, raised_at === null ? 0 : 1);
}
