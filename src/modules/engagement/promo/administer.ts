import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { type Tx, transaction } from '../../../platform/db.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { shortUsers, sightOf } from '../../base/users/service.ts';
import { Category } from '../../games/bets/schemas.ts';
import type { GameTerms } from '../../money/bonus/rules.ts';
import type { PromoDeps } from './deps.ts';
import { promoErrors } from './errors.ts';
import { freeSpinProblems } from './free-spins.ts';
import { idOf } from './grant.ts';
import { deletePromo, hasGrants, insertPromo, lockPromo, type PromoRow, updatePromo } from './queries.ts';
import { canTransition, FIRST_OF_STAFF } from './rules.ts';
import type { PromoAdmin, PromoCreateRequest, PromoStatusChange, PromoUpdateRequest } from './schemas.ts';
import { toPromoAdmin } from './show.ts';
import { gamesProblems, type Problem, type Terms, termsProblems, toStored, toTerms } from './terms/rules.ts';

export type ShownPromo = z.input<typeof PromoAdmin>;

/** What staff does to promotions. What was granted keeps its terms. */
export const createAdministration = (deps: PromoDeps) => ({
  create: (by: StaffCall, request: z.output<typeof PromoCreateRequest>) =>
    transaction(deps.db, (tx) => create(tx, deps, by, request)),

  /** Sets the named fields. Throws 404 PROMO_NOT_FOUND, 400 PROMO_INVALID. */
  change: (by: StaffCall, id: string, request: z.output<typeof PromoUpdateRequest>) =>
    transaction(deps.db, (tx) => change(tx, deps, by, { id, request })),

  /** Replaces all games. Throws 404 PROMO_NOT_FOUND, 400 PROMO_INVALID. */
  setGames: (by: StaffCall, id: string, games: GameTerms) =>
    transaction(deps.db, (tx) => setGames(tx, deps, by, { id, games })),

  /** Throws 404 PROMO_NOT_FOUND, 409 PROMO_STATUS_CONFLICT, 400 PROMO_INVALID. */
  setStatus: (by: StaffCall, id: string, to: z.output<typeof PromoStatusChange>) =>
    transaction(deps.db, (tx) => setStatus(tx, deps, by, { id, to })),

  /** With its codes. Throws 404 PROMO_NOT_FOUND, 409 PROMO_HAS_GRANTS. */
  remove: (by: StaffCall, id: string) => transaction(deps.db, (tx) => remove(tx, by, id)),
});

/** Locks a promotion for a change. Throws 404 PROMO_NOT_FOUND, and as freshActor does. */
export async function lockForChange(tx: Tx, by: StaffCall, id: string): Promise<PromoRow> {
  const known = idOf(id);
  const promo = known === undefined ? undefined : await lockPromo(tx, known);
  await freshActor(tx, by);
  if (!promo) throw promoErrors.PROMO_NOT_FOUND();
  return promo;
}

const isOfPlatform = ({ id }: PromoRow): boolean => id < FIRST_OF_STAFF;

async function create(
  tx: Tx,
  deps: PromoDeps,
  by: StaffCall,
  request: z.output<typeof PromoCreateRequest>,
): Promise<ShownPromo> {
  await freshActor(tx, by);
  const { name, description = null, type, games = {}, ...terms } = request;
  refuse([...(await problemsOf(tx, deps, terms)), ...gamesProblems(games, catalogueOf(deps))]);
  const promo = await insertPromo(tx, {
    ...columnsOf(terms),
    name,
    description,
    type,
    games: JSON.stringify(games),
    created_by: by.user.id,
  });
  await recordAudit(tx, by, { after: auditOf(promo) });
  return shown(tx, by, promo);
}

type Change = { id: string; request: z.output<typeof PromoUpdateRequest> };

async function change(tx: Tx, deps: PromoDeps, by: StaffCall, { id, request }: Change): Promise<ShownPromo> {
  const before = await lockForChange(tx, by, id);
  if (isOfPlatform(before)) refuse([OF_PLATFORM]);
  const { name = before.name, description = before.description, ...named } = request;
  const terms: Terms = { ...toTerms(before, before.conditions), ...withoutAbsent(named) };
  refuse(await problemsOf(tx, deps, terms));
  const after = await updatePromo(tx, before.id, { ...columnsOf(terms), name, description });
  await recordAudit(tx, by, differenceOf(before, after));
  return shown(tx, by, after);
}

async function setGames(
  tx: Tx,
  deps: PromoDeps,
  by: StaffCall,
  { id, games }: { id: string; games: GameTerms },
): Promise<ShownPromo> {
  const before = await lockForChange(tx, by, id);
  refuse([...(isOfPlatform(before) ? [OF_PLATFORM] : []), ...gamesProblems(games, catalogueOf(deps))]);
  const after = await updatePromo(tx, before.id, { games: JSON.stringify(games) });
  await recordAudit(tx, by, differenceOf(before, after));
  return shown(tx, by, after);
}

async function setStatus(
  tx: Tx,
  deps: PromoDeps,
  by: StaffCall,
  { id, to: { status, reason } }: { id: string; to: z.output<typeof PromoStatusChange> },
): Promise<ShownPromo> {
  const before = await lockForChange(tx, by, id);
  if (isOfPlatform(before) || !canTransition(before.status, status))
    throw promoErrors.PROMO_STATUS_CONFLICT({ status: before.status });
  // The world may have changed since it was written: a currency that is gone, a game.
  if (status === 'ACTIVE') {
    const problems = await problemsOf(tx, deps, toTerms(before, before.conditions));
    refuse([...problems, ...gamesProblems(before.games, catalogueOf(deps))]);
  }
  const after = await updatePromo(tx, before.id, { status });
  await recordAudit(tx, by, { ...differenceOf(before, after), reason });
  return shown(tx, by, after);
}

async function remove(tx: Tx, by: StaffCall, id: string): Promise<{ success: boolean }> {
  const promo = await lockForChange(tx, by, id);
  if (isOfPlatform(promo) || (await hasGrants(tx, promo.id))) throw promoErrors.PROMO_HAS_GRANTS();
  await deletePromo(tx, promo.id);
  await recordAudit(tx, by, { before: auditOf(promo) });
  return { success: true };
}

const OF_PLATFORM: Problem = {
  path: 'id',
  message: 'is granted by the platform itself, on terms of its own',
};
const MOST_PROBLEMS = 20;

function refuse(problems: readonly Problem[]): void {
  if (problems.length > 0)
    throw promoErrors.PROMO_INVALID({ problems: problems.slice(0, MOST_PROBLEMS).map(clipped) });
}
const clipped = ({ path, message }: Problem): Problem => ({
  path: path.slice(0, 200),
  message: message.slice(0, 200),
});

async function problemsOf(tx: Tx, deps: PromoDeps, terms: Terms): Promise<Problem[]> {
  const rows = await tx.selectFrom('countries').select('code').execute();
  const codes = new Set(rows.map(({ code }) => code));
  return termsProblems(terms, {
    decimalsOf: (id) => deps.currencies.find(id)?.decimals,
    freeSpinProblems: (spins) => freeSpinProblems(deps, spins),
    isCountry: (code) => codes.has(code),
  });
}

function catalogueOf({ catalogue }: PromoDeps) {
  const { bySlug, providers } = catalogue.state.now();
  return {
    isSlug: (slug: string) => bySlug.has(slug),
    isProvider: (id: number) => providers.has(id),
    isCategory: (name: string) => Category.safeParse(name).success,
  };
}

const columnsOf = (terms: Terms) => ({
  ...toStored(terms),
  conditions: JSON.stringify(terms.conditions ?? {}),
});

const withoutAbsent = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };

/** What the audit keeps of a promotion. */
function auditOf(promo: PromoRow) {
  const { createdBy: _, updatedAt: __, createdAt: ___, ...kept } = toPromoAdmin(promo, new Map());
  return kept;
}

/** The fields that a change has changed, before and after; its id always. */
function differenceOf(before: PromoRow, after: PromoRow) {
  const [was, is]: Record<string, unknown>[] = [auditOf(before), auditOf(after)];
  const names = Object.keys(is!).filter(
    (name) => name === 'id' || JSON.stringify(was![name]) !== JSON.stringify(is![name]),
  );
  const pick = (all: Record<string, unknown>) => Object.fromEntries(names.map((name) => [name, all[name]]));
  return { before: pick(was!), after: pick(is!) };
}

async function shown(tx: Tx, by: StaffCall, promo: PromoRow): Promise<ShownPromo> {
  return toPromoAdmin(promo, await shortUsers(tx, [promo.created_by], sightOf(by.user)));
}
