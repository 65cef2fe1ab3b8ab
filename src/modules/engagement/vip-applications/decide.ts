import { sql } from 'kysely';
import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { text } from '../../../http/schemas.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { baseEvents } from '../../base/events/schemas.ts';
import { emitEvent } from '../../base/events/service.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { message, messages, notify } from '../../base/notifications/notify.ts';
import type { VipLevel } from '../../base/site-config/rewards/rules.ts';
import {
  assertValue,
  type Leave,
  pairOf,
  staffValueErrors,
  withProposals,
} from '../../base/staff-value/service.ts';
import { lockUser } from '../../base/users/service.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { currencyErrors } from '../../money/currencies/errors.ts';
import { promoErrors } from '../promo/errors.ts';
import { skipLevels } from '../vip/levels.ts';
import {
  deleteImagesLater,
  findApplication,
  lockOpen,
  updateApplication,
  type VipApplicationDeps,
} from './applications.ts';
import { vipApplicationErrors } from './errors.ts';
import { assertGrantable } from './rules.ts';
import { ApplicationPath, readForStaff, VipApplicationAdmin } from './view.ts';

export const vipApplicationMessages = messages({
  'vip.approved': message<{ applicationId: string; level: number }>('VIP', {
    en: { title: 'VIP application approved', body: (f) => `Your VIP level is now ${f.level}.` },
    de: { title: 'VIP-Antrag angenommen', body: (f) => `Ihre VIP-Stufe ist jetzt ${f.level}.` },
    es: { title: 'Solicitud VIP aprobada', body: (f) => `Su nivel VIP es ahora ${f.level}.` },
  }),
  'vip.rejected': message<{ applicationId: string }>('VIP', {
    en: {
      title: 'VIP application not approved',
      body: 'We could not approve your application this time.',
    },
    de: { title: 'VIP-Antrag nicht angenommen', body: 'Wir konnten Ihren Antrag diesmal nicht annehmen.' },
    es: { title: 'Solicitud VIP no aprobada', body: 'Esta vez no hemos podido aprobar su solicitud.' },
  }),
});

const ApplicationDecision = z
  .strictObject({
    approve: z.boolean(),
    reason: text(500)
      .refine((reason) => reason.trim() !== '', 'needs a reason')
      .meta({ description: 'The reason, which the player does not see.' }),
    vipLevel: z.number().int().min(0).max(32_767).optional().meta({
      description: "Required for an approval. Must not be below the player's current level.",
    }),
    promoId: z
      .string()
      .regex(/^[1-9]\d{0,17}$/, 'needs the id of a promotion')
      .optional(),
    publicComment: text(500).optional().meta({ description: 'Shown to the player.' }),
  })
  .superRefine(({ approve, vipLevel, promoId }, context) => {
    if (approve) return;
    for (const [name, value] of Object.entries({ vipLevel, promoId }))
      if (value !== undefined)
        context.addIssue({ code: 'custom', path: [name], message: 'is allowed for approvals only' });
  });
type ApplicationDecision = z.output<typeof ApplicationDecision>;

export const decideApplication = operation({
  method: 'POST',
  path: '/admin/vip-application/{id}/decision',
  tag: 'VipApplicationAdmin',
  access: { permission: 'vip.approve' },
  gate: 'staff',
  stepUp: { when: ({ approve }: ApplicationDecision) => approve },
  createsValue: 'pays',
  idempotent: true,
  summary: 'Approve or reject a VIP application',
  description:
    "An approval raises the player's level permanently. Levels granted this way pay no level rewards. If `promoId` is sent, the " +
    'player also receives that promotion.',
  body: ApplicationDecision,
  params: ApplicationPath,
  response: VipApplicationAdmin,
  errors: [
    commonErrors.OWN_ACCOUNT,
    accessErrors.ACCOUNT_CONNECTED,
    vipApplicationErrors.VIP_APPLICATION_NOT_FOUND,
    vipApplicationErrors.VIP_APPLICATION_DECIDED,
    vipApplicationErrors.VIP_LEVEL_REQUIRED,
    staffValueErrors.APPROVAL_NEEDED,
    staffValueErrors.STAFF_VALUE_LIMIT,
    promoErrors.PROMO_NOT_FOUND,
    promoErrors.PROMO_NOT_ACTIVE,
    promoErrors.PROMO_NOT_ELIGIBLE,
    promoErrors.PROMO_EXHAUSTED,
    promoErrors.PROMO_ALREADY_USED,
    gateErrors.USER_BANNED,
    gateErrors.SELF_EXCLUDED,
    gateErrors.AUTH_GEO_BLOCKED,
    currencyErrors.RATE_STALE,
  ],
  handler: async (deps: VipApplicationDeps, { by, params: { id }, body, idempotencyKey: key }) => {
    const row = await findApplication(deps.db, id);
    if (!row) throw vipApplicationErrors.VIP_APPLICATION_NOT_FOUND();
    const decision = { id, ...body };
    const request = {
      userId: by.user.id,
      key,
      operation: 'vip-application.decide',
      input: decision,
      alsoLocks: [row.user_id],
    };
    await withProposals(deps.db, by, () =>
      runIdempotently(deps.db, request, async (tx) => {
        await decide(tx, deps, by, decision);
        return { id };
      }),
    );
    return readForStaff(deps, by, id);
  },
});

async function decide(
  tx: Tx,
  deps: VipApplicationDeps,
  by: StaffCall,
  { id, approve, vipLevel, promoId, reason, publicComment }: ApplicationDecision & { id: string },
): Promise<void> {
  const row = await lockOpen(tx, by, id);
  const userId = row.user_id;
  const { vip_level: ownLevel } = await lockUser(tx, { id: userId });
  const { ladder } = deps.siteConfig.get('COMMON').vip;
  const topLevel = ladder.at(-1)!.level;
  const granted = approve ? assertGrantable(vipLevel, { ownLevel, topLevel }) : null;
  const promo =
    promoId === undefined ? undefined : await grantPromo(tx, deps, by, { id, userId, promoId, reason });
  const status = approve ? ('APPROVED' as const) : ('REJECTED' as const);
  await updateApplication(tx, id, {
    status,
    reason: reason.trim(),
    public_comment: publicComment?.trim() || null,
    granted_vip_level: granted,
    promo_grant_id: promo?.grantId ?? null,
    decided_at: sql<Date>`now()`,
    decided_by: by.user.id,
  });
  await deleteImagesLater(tx, [id]);
  if (granted !== null) await grantLevel(tx, { userId, ownLevel, granted, ladder });
  await notifyApplicant(tx, deps, { id, userId, ownLevel, granted });
  await recordAudit(tx, by, {
    before: { id, userId, status: row.status, vipLevel: ownLevel },
    after: {
      id,
      userId,
      status,
      vipLevel: granted ?? ownLevel,
      ...(promo && { promoId, promoGrantId: String(promo.grantId), ...pairOf(promo.leave) }),
    },
    reason,
  });
}

type PromoGrant = { id: string; userId: number; promoId: string; reason: string };

/** Grants a promotion. The staff-value policy treats it like a manual grant. */
async function grantPromo(
  tx: Tx,
  deps: VipApplicationDeps,
  by: StaffCall,
  { id, userId, promoId, reason }: PromoGrant,
): Promise<{ grantId: bigint; leave: Leave }> {
  const { usdAmount, ...cost } = await deps.promo.costOf(tx, BigInt(promoId));
  const leave = await assertValue(tx, deps, by, {
    operation: 'vip.promo',
    input: { applicationId: id, promoId },
    usdAmount,
    recipients: [{ userId, usdAmount }],
    reason,
    ...cost,
  });
  const source = { source: 'VIP', sourceKey: `${promoId}:vip:${id}`, grantedBy: by.user.id } as const;
  const { grantId } = await deps.promo.grantTo(tx, BigInt(promoId), { userId, ...source });
  return { grantId, leave };
}

type Granted = { userId: number; ownLevel: number; granted: number; ladder: readonly VipLevel[] };

/** Raises a player's level. The user's row must be locked. */
async function grantLevel(tx: Tx, { userId, ownLevel, granted, ladder }: Granted): Promise<void> {
  if (granted === ownLevel) return;
  const skipped = ladder.filter(({ level }) => level > ownLevel && level <= granted);
  await skipLevels(tx, userId, skipped);
  await tx
    .updateTable('users')
    .set({ vip_level: granted, updated_at: sql<Date>`now()` })
    .where('id', '=', userId)
    .execute();
}

type Decided = { id: string; userId: number; ownLevel: number; granted: number | null };

/**
 * Sends the decision to a player, who must be locked. Banned and excluded players receive no message, because it might invite them back.
 */
async function notifyApplicant(
  tx: Tx,
  { gate }: VipApplicationDeps,
  { id, userId, ownLevel, granted }: Decided,
): Promise<void> {
  const refusals = await gate.refusals(tx, { action: 'claim', userId, country: null });
  if (refusals.length > 0) return;
  if (granted === null)
    return notify(tx, userId, vipApplicationMessages['vip.rejected'], { applicationId: id });
  if (granted > ownLevel)
    await emitEvent(tx, {
      event: baseEvents['vip.level'],
      userId,
      data: { level: granted, previousLevel: ownLevel },
    });
  await notify(tx, userId, vipApplicationMessages['vip.approved'], { applicationId: id, level: granted });
}
