import { sql } from 'kysely';
import type { z } from 'zod';
import type { StaffCall } from '../../../../http/access.ts';
import { type Page, paginated } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import { violatedConstraint } from '../../../../platform/database-errors.ts';
import { type Db, type Tx, transaction } from '../../../../platform/db.ts';
import { derived } from '../../../../platform/derived.ts';
import { freshActor } from '../../../base/access/service.ts';
import { recordAudit } from '../../../base/audit/service.ts';
import { casinoErrors } from '../errors.ts';
import type { Game } from '../queries.ts';
import { pageIn } from '../rules.ts';
import { rtpOf } from '../show.ts';
import type { Known } from '../state.ts';
import { lockRule, type RuleKey } from './queries.ts';
import {
  edgePpmOf,
  effectiveOf,
  type Match,
  type Priced,
  percentOf,
  type Rule,
  readPercent,
} from './rules.ts';
import type {
  CommissionChange,
  CommissionQuery,
  CommissionRemoval,
  EffectiveCommission,
  GgrCommissionRule,
} from './schemas.ts';

export type Commission = ReturnType<typeof createCommission>;

type Change = z.output<typeof CommissionChange>;
type Shown = z.input<typeof GgrCommissionRule>;
type Deps = { db: Db; known: () => Known; reload: () => Promise<void> };

/** What part of a stake is the house's edge: rules of staff, in memory of every process. */
export function createCommission({ db, known, reload }: Deps) {
  const edges = derived(
    () => [known()],
    (_) => ({ ppm: new Map<number, number>() }),
  );
  const rulesOf = (game: Game): readonly Rule[] => known().rules.get(game.providerId) ?? [];
  const all = (): Rule[] => [...known().rules.values()].flat().sort((a, b) => a.id - b.id);
  const change = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    const done = await transaction(db, work);
    await reload();
    return done;
  };
  return {
    /** The edge of a bet that is made now, in millionths of its stake; no query. Throws for a game that is not known. */
    edgePpmOf(gameId: number): number {
      const { ppm } = edges();
      const kept = ppm.get(gameId);
      if (kept !== undefined) return kept;
      const game = known().byId.get(gameId);
      if (!game) throw new Error(`game ${gameId} is not known`);
      const edge = edgePpmOf(priced(game), rulesOf(game));
      ppm.set(gameId, edge);
      return edge;
    },

    /** Which rule holds for a game. Throws 404 GAME_NOT_FOUND. */
    effective(slug: string): z.input<typeof EffectiveCommission> {
      const game = known().bySlug.get(slug);
      if (!game) throw casinoErrors.GAME_NOT_FOUND({ slug });
      const { match, rule, ppm } = effectiveOf(priced(game), rulesOf(game));
      const explanation = EXPLANATIONS[match];
      return { slug, ggrPercent: percentOf(ppm), match, rule: rule && shown(rule), explanation };
    },

    list(query: z.output<typeof CommissionQuery>): Page<Shown> {
      const { providerId, category, gameId } = query;
      const rows = all().filter(
        (rule) =>
          (providerId === undefined || rule.providerId === providerId) &&
          (category === undefined || rule.category === category) &&
          (gameId === undefined || rule.gameId === gameId),
      );
      return paginated(pageIn(rows, query, false).map(shown), query, rows.length);
    },

    /** Throws 404 COMMISSION_NOT_FOUND. */
    get: (id: number): Shown => getShown(all(), id),

    /** Throws 404 PROVIDER_NOT_FOUND, 404 GAME_NOT_FOUND, 409 COMMISSION_EXISTS. */
    create: (by: StaffCall, body: Change): Promise<Shown> => change((tx) => create(tx, by, body)),
    /** Of bets that are made from now on. Throws 404 COMMISSION_NOT_FOUND. */
    change: (by: StaffCall, body: Change): Promise<Shown> => change((tx) => update(tx, by, body)),
    /** Throws 404 COMMISSION_NOT_FOUND. */
    remove: (by: StaffCall, key: z.output<typeof CommissionRemoval>): Promise<void> =>
      change((tx) => remove(tx, by, key)),
  };
}

const EXPLANATIONS: Record<Match, string> = {
  PROVIDER_CATEGORY_GAME: 'The rule of the provider for this game in one of its categories.',
  PROVIDER_GAME: 'The rule of the provider for this game.',
  PROVIDER_CATEGORY: 'The rule of the provider for the first category of the game that has one.',
  PROVIDER: 'The rule of the provider for all of its games.',
  TYPE_DEFAULT: 'No rule of the provider: the default of the type of the game.',
};

function getShown(rules: readonly Rule[], id: number): Shown {
  const rule = rules.find((one) => one.id === id);
  if (!rule) throw casinoErrors.COMMISSION_NOT_FOUND();
  return shown(rule);
}

const priced = (game: Game): Priced => ({ ...game, rtp: rtpOf(game) });

const shown = ({ id, ppm, payload, createdAt, updatedAt, providerId, category, gameId }: Rule): Shown => ({
  ggrPercent: percentOf(ppm),
  category,
  id: String(id),
  createdAt: iso(createdAt),
  updatedAt: iso(updatedAt),
  providerId,
  gameId,
  payload: payload as Shown['payload'],
});

/** What the audit keeps of a rule. */
const kept = (rule: Shown) => ({ ...rule, createdAt: undefined, updatedAt: undefined });

const stored = ({ ggrPercent, payload }: Change) => ({
  ggr_percent: percentOf(readPercent(ggrPercent)!),
  payload: payload === null ? null : JSON.stringify(payload),
});

async function create(tx: Tx, by: StaffCall, body: Change): Promise<Shown> {
  const { providerId, category, gameId } = body;
  await freshActor(tx, by);
  await assertGame(tx, body);
  await tx
    .insertInto('commission_rules')
    .values({ provider_id: providerId, category, game_id: gameId, ...stored(body) })
    .execute()
    .catch((error: unknown) => {
      throw violatedConstraint(error) === undefined ? error : casinoErrors.COMMISSION_EXISTS();
    });
  const after = shown((await lockRule(tx, body))!);
  await recordAudit(tx, by, { after: kept(after) });
  return after;
}

async function assertGame(tx: Tx, { providerId, gameId }: RuleKey): Promise<void> {
  const provider = await tx
    .selectFrom('game_providers')
    .select('id')
    .where('id', '=', providerId)
    .executeTakeFirst();
  if (!provider) throw casinoErrors.PROVIDER_NOT_FOUND();
  if (gameId === null) return;
  const game = await tx
    .selectFrom('games')
    .select('id')
    .where('id', '=', gameId)
    .where('provider_id', '=', providerId)
    .executeTakeFirst();
  if (!game) throw casinoErrors.GAME_NOT_FOUND();
}

async function update(tx: Tx, by: StaffCall, body: Change): Promise<Shown> {
  const rule = await lockRule(tx, body);
  await freshActor(tx, by);
  if (!rule) throw casinoErrors.COMMISSION_NOT_FOUND();
  await tx
    .updateTable('commission_rules')
    .set({ ...stored(body), updated_at: sql<Date>`now()` })
    .where('id', '=', rule.id)
    .execute();
  const after = shown((await lockRule(tx, body))!);
  await recordAudit(tx, by, { before: kept(shown(rule)), after: kept(after) });
  return after;
}

async function remove(
  tx: Tx,
  by: StaffCall,
  { providerId, category = null, gameId = null }: z.output<typeof CommissionRemoval>,
): Promise<void> {
  const rule = await lockRule(tx, { providerId, category, gameId });
  await freshActor(tx, by);
  if (!rule) throw casinoErrors.COMMISSION_NOT_FOUND();
  await tx.deleteFrom('commission_rules').where('id', '=', rule.id).execute();
  await recordAudit(tx, by, { before: kept(shown(rule)) });
}
