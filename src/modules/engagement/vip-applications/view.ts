import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { Decimal, object, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { formatUnits } from '../../../platform/money.ts';
import { ShortPrivateUser, UserNote } from '../../base/users/schemas.ts';
import { maskEmail, type Sight, shortUsers, sightOf } from '../../base/users/service.ts';
import { adminStatsOf, UserAdminStats } from '../user-stats/totals.ts';
import { type ApplicationRow, findApplication, imagesOf, type VipApplicationDeps } from './applications.ts';
import { vipApplicationErrors } from './errors.ts';
import { CONTACT_METHODS, STATUSES } from './rules.ts';

export const Status = z.enum(STATUSES);
export const ContactMethod = z.enum(CONTACT_METHODS);
export const ApplicationPath = z.object({ id: z.uuid() });

/** The details that the applicant has entered. */
const statements = {
  platformName: z.string(),
  platformUsername: z.string(),
  totalWageredUsd: Decimal,
  rank: z.string(),
  contactMethod: ContactMethod,
  contactUsername: z.string(),
  country: z.string().nullable(),
  note: z.string().nullable(),
  howDidYouHear: z.string().nullable(),
};
const Images = z.array(z.string()).meta({
  description:
    'URLs of the images. They require a session and are available only to the player and to staff.',
});

export const VipApplication = object('VipApplication', {
  id: z.string(),
  status: Status,
  ...statements,
  publicComment: z.string().nullable(),
  grantedVipLevel: z.number().nullable(),
  images: Images,
  createdAt: Timestamp,
  decidedAt: Timestamp.nullable(),
});

export const VipApplicationAdmin = object('VipApplicationAdmin', {
  id: z.string(),
  status: Status,
  userId: z.number().int(),
  user: ShortPrivateUser,
  ...statements,
  tag: z.string().nullable(),
  staffNote: z.string().nullable(),
  assignee: ShortPrivateUser.nullable(),
  publicComment: z.string().nullable(),
  reason: z.string().nullable(),
  grantedVipLevel: z.number().nullable(),
  promoGrantId: z.string().nullable(),
  images: Images,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  decidedAt: Timestamp.nullable(),
  userStats: UserAdminStats.optional().meta({ description: 'Omitted from lists.' }),
  riskNotes: z
    .array(UserNote)
    .optional()
    .meta({ description: 'The newest notes with a risk level. Omitted from lists.' }),
});
type AdminView = z.input<typeof VipApplicationAdmin>;

export const toOwnApplication = (
  { config }: VipApplicationDeps,
  row: ApplicationRow,
  images: readonly string[],
): z.input<typeof VipApplication> => ({
  id: row.id,
  status: row.status,
  ...toStatements(row),
  publicComment: row.public_comment,
  grantedVipLevel: row.granted_vip_level,
  images: images.map((id) => `${config.PUBLIC_API_URL}/vip-application/image/${id}`),
  createdAt: iso(row.created_at),
  decidedAt: row.decided_at && iso(row.decided_at),
});

/** Returns an application with the applicant's statistics and risk notes. Throws 404 VIP_APPLICATION_NOT_FOUND. */
export async function readForStaff(deps: VipApplicationDeps, by: StaffCall, id: string): Promise<AdminView> {
  const row = await findApplication(deps.db, id);
  if (!row) throw vipApplicationErrors.VIP_APPLICATION_NOT_FOUND();
  const sight = sightOf(by.user);
  const [[application], stats, riskNotes] = await Promise.all([
    toStaffApplications(deps, [row], sight),
    adminStatsOf(deps.reads, [row.user_id]),
    deps.riskNotesOf(row.user_id, sight),
  ]);
  return { ...application!, userStats: stats.get(row.user_id)!, riskNotes };
}

export async function toStaffApplications(
  { config, db }: VipApplicationDeps,
  rows: readonly ApplicationRow[],
  sight: Sight,
): Promise<AdminView[]> {
  const ids = rows.map(({ id }) => id);
  const userIds = rows.flatMap((row) => [row.user_id, row.assignee_id]);
  const [images, users] = await Promise.all([imagesOf(db, ids), shortUsers(db, userIds, sight)]);
  return rows.map((row) => ({
    id: row.id,
    status: row.status,
    userId: row.user_id,
    user: users.get(row.user_id)!,
    ...toStatements(row),
    contactUsername: contactOf(row, sight),
    tag: row.tag,
    staffNote: row.staff_note,
    assignee: users.get(row.assignee_id ?? 0) ?? null,
    publicComment: row.public_comment,
    reason: row.reason,
    grantedVipLevel: row.granted_vip_level,
    promoGrantId: row.promo_grant_id === null ? null : String(row.promo_grant_id),
    images: images.get(row.id)!.map((id) => `${config.PUBLIC_API_URL}/admin/vip-application/image/${id}`),
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    decidedAt: row.decided_at && iso(row.decided_at),
  }));
}

const toStatements = (row: ApplicationRow) => ({
  platformName: row.platform_name,
  platformUsername: row.platform_username,
  totalWageredUsd: formatUnits(row.total_wagered_usd),
  rank: row.rank,
  contactMethod: row.contact_method as z.output<typeof ContactMethod>,
  contactUsername: row.contact_username,
  country: row.country,
  note: row.note,
  howDidYouHear: row.how_did_you_hear,
});

/** Masks an email address for staff without the permission for personal data. */
const contactOf = ({ contact_method, contact_username }: ApplicationRow, { showsPii }: Sight): string =>
  contact_method === 'EMAIL' && !showsPii && contact_username.includes('@')
    ? maskEmail(contact_username)
    : contact_username;
