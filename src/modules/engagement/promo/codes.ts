import { randomInt } from 'node:crypto';
import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { type Tx, transaction } from '../../../platform/db.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { lockForChange } from './administer.ts';
import type { PromoDeps } from './deps.ts';
import { promoErrors } from './errors.ts';
import { insertCodes } from './queries.ts';
import type { NewPromoCodes, PromoCodes } from './schemas.ts';

type Wanted = z.output<typeof NewPromoCodes>;

/** Without what looks alike: 32 of them, 60 bits in a code. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 12;

const randomCode = (): string =>
  Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');

/**
 * One code for everybody, or many of one use each, in one statement. Throws 404 PROMO_NOT_FOUND, 409 PROMO_CODE_TAKEN, 400
 * PROMO_INVALID for a promotion that only staff grants.
 */
export const createCodes =
  ({ db }: PromoDeps) =>
  (by: StaffCall, id: string, wanted: Wanted): Promise<z.input<typeof PromoCodes>> =>
    transaction(db, (tx) => create(tx, by, id, wanted));

async function create(tx: Tx, by: StaffCall, id: string, wanted: Wanted) {
  const { id: promoId, type } = await lockForChange(tx, by, id);
  if (type === 'MANUAL') {
    const message = 'is MANUAL: nobody could redeem a code of it';
    throw promoErrors.PROMO_INVALID({ problems: [{ path: 'type', message }] });
  }
  const { kind, count = 1, code, maxUses } = wanted;
  const isOneTime = kind === 'ONE_TIME';
  const codes = isOneTime ? Array.from({ length: count }, randomCode) : [code ?? randomCode()];
  const created = await insertCodes(tx, { promoId, kind, maxUses: isOneTime ? 1 : (maxUses ?? null) }, codes);
  if (created.length < codes.length) throw promoErrors.PROMO_CODE_TAKEN();
  // One-time codes are as good as money: the audit counts them.
  const named = isOneTime ? {} : { code: created[0], maxUses: maxUses ?? null };
  await recordAudit(tx, by, { after: { promoId: String(promoId), kind, created: created.length, ...named } });
  return { created: created.length, codes: created };
}
