import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { SuccessResponse, strictObject } from '../../../http/schemas.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { staffValueErrors, withProposals } from '../../base/staff-value/service.ts';
import { approvalOf, approve, changesTerms, startKindOf, UNAPPROVED } from './approval.ts';
import {
  assertMayStart,
  assertNone,
  catalogueOf,
  columnsOf,
  differenceOf,
  lockForChange,
  OF_PLATFORM,
  problemsOf,
  toAudit,
  toView,
} from './changes.ts';
import { promoErrors } from './errors.ts';
import { type PromoDeps, type PromoRow, updatePromo } from './queries.ts';
import { canTransition, isOfPlatform } from './rules.ts';
import {
  Description,
  Name,
  PromoAdmin,
  PromoGames,
  PromoPath,
  PromoReward,
  PromoStatus,
  PromoType,
  Reason,
  terms,
  WagerBase,
} from './schemas.ts';
import { gamesProblems, type Terms, toTerms } from './terms/rules.ts';

const shared = {
  tag: 'Promo Admin',
  access: { permission: 'promo.write' },
  gate: 'none',
  stepUp: true,
  createsValue: 'configures',
  response: PromoAdmin,
} as const;

const PromoCreateRequest = strictObject('PromoCreateRequest', {
  ...terms,
  name: Name,
  description: Description.optional(),
  type: PromoType,
  wagerBase: WagerBase.default('BONUS'),
  games: PromoGames.optional(),
});

export const createPromotion = operation({
  ...shared,
  method: 'POST',
  path: '/admin/promo',
  summary: 'Create a promotion as a draft',
  description:
    'If the promotion is invalid, the response is PROMO_INVALID, and `details.problems` lists the problems.',
  body: PromoCreateRequest,
  errors: [promoErrors.PROMO_INVALID],
  handler: (deps: PromoDeps, { by, body }) =>
    transaction(deps.db, async (tx) => {
      await freshActor(tx, by);
      const { name, description = null, type, games = {}, ...terms } = body;
      const problems = await problemsOf(tx, deps, terms);
      assertNone([...problems, ...gamesProblems(games, catalogueOf(deps))]);
      const row = {
        ...columnsOf(terms),
        name,
        description,
        type,
        games: JSON.stringify(games),
        created_by: by.user.id,
        terms_set_by: by.user.id,
        ...UNAPPROVED,
      };
      const inserted = await tx.insertInto('promos').values(row).returningAll().executeTakeFirstOrThrow();
      const promo = inserted as PromoRow;
      await recordAudit(tx, by, { after: toAudit(promo) });
      return toView(tx, deps, by, promo);
    }),
});

const PromoUpdateRequest = strictObject('PromoUpdateRequest', {
  ...terms,
  name: Name.optional(),
  description: Description.optional(),
  reward: PromoReward.optional(),
  wagerMultiplier: terms.wagerMultiplier.optional(),
  wagerBase: WagerBase.optional(),
});

export const updatePromotion = operation({
  ...shared,
  method: 'PATCH',
  path: '/admin/promo/{id}',
  params: PromoPath,
  summary: 'Update a promotion without changing existing grants',
  description:
    'Existing grants keep their terms. `reward`, `conditions` and `budget` are each replaced as a whole. Null removes a term. ' +
    'Changing the reward of an active promotion restarts it, which requires the permission `promo.pay` and the same approval as ' +
    'starting it.',
  body: PromoUpdateRequest,
  errors: [
    promoErrors.PROMO_INVALID,
    promoErrors.PROMO_NOT_FOUND,
    staffValueErrors.APPROVAL_NEEDED,
    staffValueErrors.STAFF_VALUE_LIMIT,
  ],
  handler: (deps: PromoDeps, { by, params, body }) =>
    withProposals(deps.db, by, () =>
      transaction(deps.db, async (tx) => {
        const before = await lockForChange(tx, by, params.id);
        if (isOfPlatform(before)) assertNone([OF_PLATFORM]);
        const { name = before.name, description = before.description, ...changed } = body;
        const terms: Terms = { ...toTerms(before, before.conditions), ...withoutAbsent(changed) };
        assertNone(await problemsOf(tx, deps, terms));
        const promo = await updatePromo(tx, before.id, { ...columnsOf(terms), name, description });
        const after = changesTerms(before, promo) ? await approveTerms(tx, deps, by, promo) : promo;
        await recordAudit(tx, by, differenceOf(before, after));
        return toView(tx, deps, by, after);
      }),
    ),
});

/** Approves changed terms, which need a new approval. */
async function approveTerms(tx: Tx, deps: PromoDeps, by: StaffCall, changed: PromoRow): Promise<PromoRow> {
  const actor = await freshActor(tx, by);
  const promo = { ...changed, terms_set_by: actor.id };
  if (promo.status !== 'ACTIVE') return updatePromo(tx, promo.id, { terms_set_by: actor.id, ...UNAPPROVED });
  assertMayStart(actor);
  const reason = `New terms of promotion ${promo.id}`;
  const approval = await approvalOf(tx, deps, by, { promo, reason });
  return updatePromo(tx, promo.id, { terms_set_by: actor.id, ...approval });
}

const withoutAbsent = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };

export const setPromotionGames = operation({
  ...shared,
  method: 'PUT',
  path: '/admin/promo/{id}/games',
  params: PromoPath,
  summary: 'Replace the games of a promotion',
  description:
    'Existing grants keep their games. If all lists are empty, every game counts. A stake contributes to wagering with the ' +
    'percentage of its game. If the game has none, the percentage of its category applies, or else 100 %.',
  body: PromoGames,
  errors: [promoErrors.PROMO_INVALID, promoErrors.PROMO_NOT_FOUND],
  handler: (deps: PromoDeps, { by, params, body: games }) =>
    transaction(deps.db, async (tx) => {
      const before = await lockForChange(tx, by, params.id);
      const problems = gamesProblems(games, catalogueOf(deps));
      assertNone([...(isOfPlatform(before) ? [OF_PLATFORM] : []), ...problems]);
      const after = await updatePromo(tx, before.id, { games: JSON.stringify(games) });
      await recordAudit(tx, by, differenceOf(before, after));
      return toView(tx, deps, by, after);
    }),
});

const StatusChange = z.strictObject({ status: PromoStatus.exclude(['DRAFT']), reason: Reason });
type StatusChange = z.output<typeof StatusChange>;

const changing = {
  tag: 'Promo Admin',
  access: { permission: 'promo.write' },
  gate: 'none',
  params: PromoPath,
} as const;

/** Changes the status. If an active promotion is started again, its pending budget is approved. */
export const setPromotionStatus = operation({
  ...changing,
  method: 'POST',
  path: '/admin/promo/{id}/status',
  stepUp: { when: ({ status }: StatusChange) => status === 'ACTIVE' },
  createsValue: 'configures',
  summary: 'Start, pause or archive a promotion',
  description:
    'Existing grants are not affected. The status changes from DRAFT to ACTIVE, between ACTIVE and PAUSED, and finally to ' +
    'ARCHIVED. Starting a promotion requires the permission `promo.pay`. If its maximum cost reaches ' +
    'WITHDRAWALS.adjustmentApprovalUsd or is unlimited, a second person has to send the same request. A MANUAL or CODE promotion ' +
    'without an upper limit starts immediately, but its codes and partners cannot grant it until a second person sets ACTIVE ' +
    'again.',
  body: StatusChange,
  response: PromoAdmin,
  errors: [
    promoErrors.PROMO_INVALID,
    promoErrors.PROMO_NOT_FOUND,
    promoErrors.PROMO_STATUS_CONFLICT,
    staffValueErrors.APPROVAL_NEEDED,
    staffValueErrors.STAFF_VALUE_LIMIT,
  ],
  handler: (deps: PromoDeps, { by, params, body: { status, reason } }) =>
    withProposals(deps.db, by, () =>
      transaction(deps.db, async (tx) => {
        const before = await lockForChange(tx, by, params.id);
        const isStart = status === 'ACTIVE';
        const kind = isStart ? await startKindOf(tx, before, by.user.id) : undefined;
        const isPossible = isStart
          ? kind !== undefined
          : !isOfPlatform(before) && canTransition(before.status, status);
        if (!isPossible) throw promoErrors.PROMO_STATUS_CONFLICT({ status: before.status });
        if (isStart) assertMayStart(await freshActor(tx, by));
        // A currency or game may have been removed since the terms were saved.
        if (isStart) {
          const problems = await problemsOf(tx, deps, toTerms(before, before.conditions));
          assertNone([...problems, ...gamesProblems(before.games, catalogueOf(deps))]);
        }
        const decide = kind === 'APPROVAL' ? approve : approvalOf;
        const needsApproval = isStart && before.open_usd !== null;
        const approval = needsApproval ? await decide(tx, deps, by, { promo: before, reason }) : {};
        const after = await updatePromo(tx, before.id, { status, ...approval });
        await recordAudit(tx, by, { ...differenceOf(before, after), reason });
        return toView(tx, deps, by, after);
      }),
    ),
});

export const deletePromotion = operation({
  ...changing,
  method: 'DELETE',
  path: '/admin/promo/{id}',
  summary: 'Delete a promotion that has no grants, with its codes',
  response: SuccessResponse,
  errors: [promoErrors.PROMO_NOT_FOUND, promoErrors.PROMO_HAS_GRANTS],
  handler: ({ db }: PromoDeps, { by, params }) =>
    transaction(db, async (tx) => {
      const promo = await lockForChange(tx, by, params.id);
      if (isOfPlatform(promo) || (await hasGrants(tx, promo.id))) throw promoErrors.PROMO_HAS_GRANTS();
      await tx.deleteFrom('promo_codes').where('promo_id', '=', promo.id).execute();
      await tx.deleteFrom('promos').where('id', '=', promo.id).execute();
      await recordAudit(tx, by, { before: toAudit(promo) });
      return { success: true };
    }),
});

async function hasGrants(tx: Tx, promoId: bigint): Promise<boolean> {
  const grants = tx.selectFrom('promo_grants').select('id').where('promo_id', '=', promoId);
  return (await grants.limit(1).executeTakeFirst()) !== undefined;
}
