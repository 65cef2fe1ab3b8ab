import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { line, strictObject, text } from '../../../http/schemas.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { violatedConstraint } from '../../../platform/database/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { units } from '../../../platform/money.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { type ApplicationRow, imagesOf, type VipApplicationDeps } from './applications.ts';
import { vipApplicationErrors } from './errors.ts';
import { ContactMethod, toOwnApplication, VipApplication } from './view.ts';

const VipApplicationRequest = strictObject('VipApplicationRequest', {
  platformName: line(100),
  platformUsername: line(100),
  totalWageredUsd: z
    .string()
    .max(20)
    .regex(/^(0|[1-9]\d{0,9})(\.\d{1,8})?$/, 'needs to be a decimal number such as "12.5"'),
  rank: line(100),
  contactMethod: ContactMethod,
  contactUsername: line(100),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'needs a code of two capital letters such as DE')
    .optional(),
  note: text(2000).optional(),
  howDidYouHear: text(500).optional(),
});
type VipApplicationRequest = z.output<typeof VipApplicationRequest>;

export const apply = operation({
  method: 'POST',
  path: '/vip-application',
  tag: 'VipApplication',
  access: 'auth',
  gate: 'none',
  summary: 'Apply for a VIP level',
  description: 'For players who are VIPs on another platform. A player can have one open application.',
  body: VipApplicationRequest,
  response: VipApplication,
  errors: [gateErrors.USER_BANNED, gateErrors.SELF_EXCLUDED, vipApplicationErrors.VIP_APPLICATION_OPEN],
  handler: async (deps: VipApplicationDeps, { user: { id: userId }, body }) => {
    const row = await transaction(deps.db, async (tx) => {
      await deps.gate.assertMay(tx, { action: 'claim', userId, country: null });
      return insertApplication(tx, userId, body);
    });
    return toOwnApplication(deps, row, []);
  },
});

/** Stores an application. Throws 409 VIP_APPLICATION_OPEN. */
async function insertApplication(tx: Tx, userId: number, request: VipApplicationRequest) {
  const { totalWageredUsd, note, howDidYouHear } = request;
  try {
    const row = await tx
      .insertInto('vip_applications')
      .values({
        id: newId(),
        user_id: userId,
        platform_name: request.platformName,
        platform_username: request.platformUsername,
        total_wagered_usd: units(totalWageredUsd),
        rank: request.rank,
        contact_method: request.contactMethod,
        contact_username: request.contactUsername,
        country: request.country ?? null,
        note: note?.trim() || null,
        how_did_you_hear: howDidYouHear?.trim() || null,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return row as ApplicationRow;
  } catch (error) {
    if (violatedConstraint(error) !== 'vip_applications_open_key') throw error;
    throw vipApplicationErrors.VIP_APPLICATION_OPEN();
  }
}

const MAX_OWN = 50;

export const listOwnApplications = operation({
  method: 'GET',
  path: '/vip-application',
  tag: 'VipApplication',
  access: 'auth',
  isHistory: true,
  summary: 'List your VIP applications',
  description: 'Returns the last 50 applications, newest first.',
  response: VipApplication.array(),
  handler: async (deps: VipApplicationDeps, { user }) => {
    const rows = await deps.db
      .selectFrom('vip_applications')
      .selectAll()
      .where('user_id', '=', user.id)
      .orderBy('id', 'desc')
      .limit(MAX_OWN)
      .execute();
    const ids = rows.map(({ id }) => id);
    const images = await imagesOf(deps.db, ids);
    return rows.map((row) => toOwnApplication(deps, row as ApplicationRow, images.get(row.id)!));
  },
});
