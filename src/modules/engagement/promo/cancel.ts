import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { lockForDecision } from '../../base/access/connected.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { sightOf } from '../../base/users/service.ts';
import { bonusErrors } from '../../money/bonus/errors.ts';
import type { PromoDeps } from './deps.ts';
import { idOf } from './grant.ts';
import { findGrant, type GrantRow } from './queries.ts';
import type { PromoGrantAdmin } from './schemas.ts';
import { toGrant } from './show.ts';
import { toGrantsAdmin } from './staff-lists.ts';

type Shown = z.input<typeof PromoGrantAdmin>;
type Cancellation = { grantId: string; reason: string; key: string | undefined };

/**
 * Ends a player's grant: its bonus money goes back, cash is not touched. The player reads the reason. Throws 404 PROMO_GRANT_NOT_FOUND, 409
 * PROMO_GRANT_CLOSED, and as lockForDecision does.
 */
export const createCancel =
  (deps: PromoDeps) =>
  async (by: StaffCall, { grantId, reason, key }: Cancellation): Promise<Shown> => {
    const id = idOf(grantId);
    const known = id === undefined ? undefined : await findGrant(deps.db, id);
    if (!known) throw bonusErrors.PROMO_GRANT_NOT_FOUND();
    const input = { grantId, reason };
    const repeatable = {
      userId: by.user.id,
      key,
      operation: 'promo.cancel',
      input,
      alsoLocks: [known.user_id],
    };
    return runIdempotently(deps.db, repeatable, async (tx) => {
      await lockForDecision(tx, by, known.user_id);
      const before = (await findGrant(tx, known.id))!;
      await deps.grants.end(tx, known.id, { status: 'CANCELLED', reason });
      const after = (await findGrant(tx, known.id))!;
      const [shown] = await toGrantsAdmin(deps, tx, [after], sightOf(by.user));
      await recordAudit(tx, by, { before: auditOf(before), after: auditOf(after), reason });
      return shown!;
    });
  };

function auditOf(grant: GrantRow) {
  const { id, promoId, status, currencyId, bonusBalance, forfeitedAmount } = toGrant(grant, () => []);
  return { id, userId: grant.user_id, promoId, status, currencyId, bonusBalance, forfeitedAmount };
}
