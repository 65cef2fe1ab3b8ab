import type { DbOrTx } from '../../../../platform/db.ts';
import { type Rule, readPercent } from './rules.ts';

const selectRules = (db: DbOrTx) =>
  db
    .selectFrom('commission_rules')
    .select(['id', 'provider_id as providerId', 'category', 'game_id as gameId', 'ggr_percent as percent'])
    .select(['payload', 'created_at as createdAt', 'updated_at as updatedAt']);

type Row = Awaited<ReturnType<ReturnType<typeof selectRules>['executeTakeFirstOrThrow']>>;

const toRule = ({ percent, ...row }: Row): Rule => ({ ...row, ppm: readPercent(percent)! });

/** All rules by their providers. */
export async function readRules(db: DbOrTx): Promise<ReadonlyMap<number, readonly Rule[]>> {
  const rows = await selectRules(db).orderBy('id').execute();
  return Map.groupBy(rows.map(toRule), ({ providerId }) => providerId);
}

/** What a rule is found by. */
export type RuleKey = { providerId: number; category: string | null; gameId: number | null };

/** Locked until the transaction ends. */
export async function lockRule(
  db: DbOrTx,
  { providerId, category, gameId }: RuleKey,
): Promise<Rule | undefined> {
  const row = await selectRules(db)
    .where('provider_id', '=', providerId)
    .where('category', category === null ? 'is' : '=', category)
    .where('game_id', gameId === null ? 'is' : '=', gameId)
    .forUpdate()
    .executeTakeFirst();
  return row && toRule(row);
}
