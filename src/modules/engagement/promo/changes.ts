import type { StaffCall } from '../../../http/access.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import type { Actor } from '../../base/access/rules.ts';
import { freshActor } from '../../base/access/service.ts';
import { holds, sightOf } from '../../base/users/service.ts';
import { Category } from '../../games/bets/schemas.ts';
import { promoErrors } from './errors.ts';
import { freeSpinProblems } from './free-spins.ts';
import { idOf } from './grant.ts';
import { lockPromo, type PromoDeps, type PromoRow } from './queries.ts';
import { showPromos } from './shown.ts';
import { type Problem, type Terms, termsProblems, toStored } from './terms/rules.ts';
import { toPromoAdmin } from './view.ts';

/** Locks a promotion for a change. Throws 404 PROMO_NOT_FOUND and the errors of `freshActor`. */
export async function lockForChange(tx: Tx, by: StaffCall, id: string): Promise<PromoRow> {
  const parsed = idOf(id);
  const promo = parsed === undefined ? undefined : await lockPromo(tx, parsed);
  await freshActor(tx, by);
  if (!promo) throw promoErrors.PROMO_NOT_FOUND();
  return promo;
}

export const OF_PLATFORM: Problem = {
  path: 'id',
  message: 'belongs to the platform, which sets its terms',
};

export function assertMayStart(actor: Actor): void {
  if (!holds(actor, 'promo.pay')) throw commonErrors.FORBIDDEN();
}

const MAX_PROBLEMS = 20;

/** Throws 400 PROMO_INVALID with these problems if there are any. */
export function assertNone(problems: readonly Problem[]): void {
  if (problems.length > 0)
    throw promoErrors.PROMO_INVALID({ problems: problems.slice(0, MAX_PROBLEMS).map(clip) });
}
const clip = ({ path, message }: Problem): Problem => ({
  path: path.slice(0, 200),
  message: message.slice(0, 200),
});

export async function problemsOf(tx: Tx, deps: PromoDeps, terms: Terms): Promise<Problem[]> {
  const rows = await tx.selectFrom('countries').select('code').execute();
  const codes = new Set(rows.map(({ code }) => code));
  return termsProblems(terms, {
    decimalsOf: (id) => deps.currencies.find(id)?.decimals,
    freeSpinProblems: (spins) => freeSpinProblems(deps, spins),
    isCountry: (code) => codes.has(code),
  });
}

export function catalogueOf({ catalogue }: PromoDeps) {
  const { bySlug, providers } = catalogue.state.now();
  return {
    isSlug: (slug: string) => bySlug.has(slug),
    isProvider: (id: number) => providers.has(id),
    isCategory: (name: string) => Category.safeParse(name).success,
  };
}

export const columnsOf = (terms: Terms) => ({
  ...toStored(terms),
  conditions: JSON.stringify(terms.conditions ?? {}),
});

export function toAudit(promo: PromoRow) {
  const { createdBy: _, updatedAt: __, createdAt: ___, ...fields } = toPromoAdmin(promo, new Map());
  return { ...fields, waitsForApproval: promo.open_usd !== null };
}

/** Returns the changed fields with their values before and after, always including the id. */
export function differenceOf(before: PromoRow, after: PromoRow) {
  const [was, is]: Record<string, unknown>[] = [toAudit(before), toAudit(after)];
  const names = Object.keys(is!).filter(
    (name) => name === 'id' || JSON.stringify(was![name]) !== JSON.stringify(is![name]),
  );
  const pick = (all: Record<string, unknown>) => Object.fromEntries(names.map((name) => [name, all[name]]));
  return { before: pick(was!), after: pick(is!) };
}

export const toView = async (tx: Tx, deps: PromoDeps, by: StaffCall, promo: PromoRow) =>
  (await showPromos(tx, deps, [promo], sightOf(by.user)))[0]!;
