import { sql } from 'kysely';
import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { type Page, pageOf } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { invalidField } from '../../../platform/errors.ts';
import { lockForDecision } from '../../base/access/connected.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import type { UserNote } from '../../base/users/schemas.ts';
import { lockUser, maskEmail, type Sight, shortUsers, sightOf } from '../../base/users/service.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import type { Promo } from '../promo/service.ts';
import { adminStatsOf } from '../user-stats/service.ts';
import { type ImageUrl, statedIn } from './apply.ts';
import { vipApplicationErrors } from './errors.ts';
import { grantLevel, tellApplicant } from './grant.ts';
import { countApplications, listApplications } from './list.ts';
import {
  type ApplicationRow,
  deleteImagesLater,
  findApplication,
  imagesOf,
  lockApplication,
  updateApplication,
} from './queries.ts';
import { assertGrantable, isOpen } from './rules.ts';
import type {
  ApplicationChange,
  ApplicationDecision,
  ApplicationQuery,
  VipApplicationAdmin,
} from './schemas.ts';

type Shown = z.input<typeof VipApplicationAdmin>;
type Decision = z.output<typeof ApplicationDecision>;

export type ReviewDeps = {
  db: Db;
  /** For what may be a little old. */
  reads: Db;
  gate: Gate;
  siteConfig: SiteConfig;
  promo: Pick<Promo, 'grantTo'>;
  imageUrl: ImageUrl;
  /** The newest notes about a user in which staff sees a risk. */
  riskNotesOf: (userId: number, sight: Sight) => Promise<z.input<typeof UserNote>[]>;
};

export async function list(
  deps: ReviewDeps,
  by: StaffCall,
  query: z.output<typeof ApplicationQuery>,
): Promise<Page<Shown>> {
  const sight = sightOf(by.user);
  const total = await countApplications(deps.reads, query, sight);
  return pageOf(query, total, async (offset) => {
    const limit = Math.min(query.take, total - offset);
    return shown(deps, await listApplications(deps.reads, query, { sight, offset, limit }), sight);
  });
}

/** One application with what else speaks for or against the applicant. Throws 404 VIP_APPLICATION_NOT_FOUND. */
export async function detail(deps: ReviewDeps, by: StaffCall, id: string): Promise<Shown> {
  const row = await findApplication(deps.db, id);
  if (!row) throw vipApplicationErrors.VIP_APPLICATION_NOT_FOUND();
  const sight = sightOf(by.user);
  const [[application], stats, riskNotes] = await Promise.all([
    shown(deps, [row], sight),
    adminStatsOf(deps.reads, [row.user_id]),
    deps.riskNotesOf(row.user_id, sight),
  ]);
  return { ...application!, userStats: stats.get(row.user_id)!, riskNotes };
}

/**
 * Takes an open application into review, tags, notes or assigns it. Throws 400 VALIDATION_FAILED when the assignee is no member of
 * staff, and as `lockOpen` does.
 */
export async function change(
  deps: ReviewDeps,
  by: StaffCall,
  { id, ...to }: z.output<typeof ApplicationChange> & { id: string },
): Promise<Shown> {
  await transaction(deps.db, async (tx) => {
    const before = await lockOpen(tx, by, id);
    if (typeof to.assigneeId === 'number') await assertStaff(tx, to.assigneeId);
    const after = await updateApplication(tx, id, {
      status: to.status ?? before.status,
      tag: to.tag === undefined ? before.tag : to.tag.trim() || null,
      staff_note: to.note === undefined ? before.staff_note : to.note.trim() || null,
      assignee_id: to.assigneeId === undefined ? before.assignee_id : to.assigneeId,
    });
    await recordAudit(tx, by, { before: workOf(before), after: workOf(after) });
  });
  return detail(deps, by, id);
}

const workOf = ({ id, status, tag, staff_note, assignee_id }: ApplicationRow) => ({
  id,
  status,
  tag,
  staffNote: staff_note,
  assigneeId: assignee_id,
});

async function assertStaff(tx: Tx, userId: number): Promise<void> {
  const user = await tx.selectFrom('users').select('is_staff').where('id', '=', userId).executeTakeFirst();
  if (!user?.is_staff) throw invalidField('assigneeId', 'is no member of staff');
}

/**
 * Decides about an open application, once. An approval raises the player's level to `vipLevel`; with `promoId` they are granted that
 * promotion. Throws 400 VIP_LEVEL_REQUIRED, and as `lockOpen` and `grantTo` of promotions do.
 */
export async function decide(
  deps: ReviewDeps,
  by: StaffCall,
  { id, key, ...decision }: Decision & { id: string; key: string | undefined },
): Promise<Shown> {
  const row = await findApplication(deps.db, id);
  if (!row) throw vipApplicationErrors.VIP_APPLICATION_NOT_FOUND();
  const request = {
    userId: by.user.id,
    key,
    operation: 'vip-application.decide',
    input: { id, ...decision },
    alsoLocks: [row.user_id],
  };
  await runIdempotently(deps.db, request, async (tx) => {
    await decideIn(tx, deps, by, { id, ...decision });
    return { id };
  });
  return detail(deps, by, id);
}

async function decideIn(
  tx: Tx,
  { gate, siteConfig, promo }: ReviewDeps,
  by: StaffCall,
  { id, approve, vipLevel, promoId, reason, publicComment }: Decision & { id: string },
): Promise<void> {
  const row = await lockOpen(tx, by, id);
  const userId = row.user_id;
  const { vip_level: ownLevel } = await lockUser(tx, { id: userId });
  const { ladder } = siteConfig.get('COMMON').vip;
  const topLevel = ladder.at(-1)!.level;
  const granted = approve ? assertGrantable(vipLevel, { ownLevel, topLevel }) : null;
  const source = { source: 'VIP', sourceKey: `${promoId}:vip:${id}`, grantedBy: by.user.id } as const;
  const given =
    promoId === undefined ? null : await promo.grantTo(tx, BigInt(promoId), { userId, ...source });
  const status = approve ? ('APPROVED' as const) : ('REJECTED' as const);
  await updateApplication(tx, id, {
    status,
    reason: reason.trim(),
    public_comment: publicComment?.trim() || null,
    granted_vip_level: granted,
    promo_grant_id: given?.grantId ?? null,
    decided_at: sql<Date>`now()`,
    decided_by: by.user.id,
  });
  await deleteImagesLater(tx, [id]);
  if (granted !== null) await grantLevel(tx, { userId, ownLevel, granted, ladder });
  await tellApplicant(tx, gate, { id, userId, ownLevel, granted });
  await recordAudit(tx, by, {
    before: { id, userId, status: row.status, vipLevel: ownLevel },
    after: {
      id,
      userId,
      status,
      vipLevel: granted ?? ownLevel,
      ...(given && { promoId, promoGrantId: String(given.grantId) }),
    },
    reason,
  });
}

/**
 * Locks an application that the caller works on: the players, then the application. Throws 404 VIP_APPLICATION_NOT_FOUND, 409
 * VIP_APPLICATION_DECIDED, and as lockForDecision does.
 */
async function lockOpen(tx: Tx, by: StaffCall, id: string): Promise<ApplicationRow> {
  const known = await findApplication(tx, id);
  if (!known) throw vipApplicationErrors.VIP_APPLICATION_NOT_FOUND();
  await lockForDecision(tx, by, known.user_id);
  const row = (await lockApplication(tx, id))!;
  if (!isOpen(row.status)) throw vipApplicationErrors.VIP_APPLICATION_DECIDED({ status: row.status });
  return row;
}

async function shown(
  { db, imageUrl }: ReviewDeps,
  rows: readonly ApplicationRow[],
  sight: Sight,
): Promise<Shown[]> {
  const [images, people] = await Promise.all([
    imagesOf(
      db,
      rows.map(({ id }) => id),
    ),
    shortUsers(
      db,
      rows.flatMap((row) => [row.user_id, row.assignee_id]),
      sight,
    ),
  ]);
  return rows.map((row) => ({
    id: row.id,
    status: row.status,
    userId: row.user_id,
    user: people.get(row.user_id)!,
    ...statedIn(row),
    contactUsername: contactOf(row, sight),
    tag: row.tag,
    staffNote: row.staff_note,
    assignee: people.get(row.assignee_id ?? 0) ?? null,
    publicComment: row.public_comment,
    reason: row.reason,
    grantedVipLevel: row.granted_vip_level,
    promoGrantId: row.promo_grant_id === null ? null : String(row.promo_grant_id),
    images: images.get(row.id)!.map((imageId) => imageUrl(imageId, { isForStaff: true })),
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    decidedAt: row.decided_at && iso(row.decided_at),
  }));
}

/** Who does not see e-mail addresses does not see them here either. */
const contactOf = ({ contact_method, contact_username }: ApplicationRow, { showsPii }: Sight): string =>
  contact_method === 'EMAIL' && !showsPii && contact_username.includes('@')
    ? maskEmail(contact_username)
    : contact_username;
