import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import { formatUnits } from '../../../platform/money.ts';
import { webhookErrors } from '../../base/webhooks/errors.ts';
import { signedBy } from '../../base/webhooks/signature.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import { paymentErrors } from '../payments/errors.ts';
import { createMarketplace } from './marketplace.ts';
import { findDeposit, type SkinDepositRow } from './queries.ts';
import type { SkinStatus } from './rules.ts';
import type { SkinDeposit } from './schemas.ts';
import { createStart } from './start.ts';
import { processWebhook, readReport } from './webhooks.ts';

export type Skins = ReturnType<typeof createSkins>;

/** The one marketplace whose protocol is ours: the sandbox speaks it. */
const PROVIDER = 'sandbox';

/** Deposits by skins: a player sells items at a marketplace, which pays us once their hold is over, or before. */
export function createSkins(deps: PaymentDeps) {
  const { db, config, webhooks } = deps;
  const marketplace = createMarketplace(deps);
  webhooks.on('skins', (tx, event) => processWebhook(tx, deps, event));

  return {
    start: createStart({ ...deps, marketplace }),

    /** Throws 404 DEPOSIT_NOT_FOUND, also for that of another player. */
    async get(userId: number, id: string): Promise<z.input<typeof SkinDeposit>> {
      const deposit = await findDeposit(db, id);
      if (deposit?.user_id !== userId) throw paymentErrors.DEPOSIT_NOT_FOUND();
      return shown(deposit);
    },

    /** Throws 404 PROVIDER_NOT_FOUND, 401 SIGNATURE_INVALID, 400 for a webhook that cannot be used. */
    receive: webhooks.receiver('skins', (provider) => {
      if (!marketplace || provider !== PROVIDER) throw webhookErrors.PROVIDER_NOT_FOUND();
      return { isSigned: signedBy(config.SKINS_WEBHOOK_SECRETS, deps), read: readReport };
    }),
  };
}

const shown = (deposit: SkinDepositRow): z.input<typeof SkinDeposit> => ({
  id: deposit.id,
  status: deposit.status as SkinStatus,
  items: deposit.items as z.input<typeof SkinDeposit>['items'],
  usdAmount: deposit.usd_amount === null ? null : formatUnits(deposit.usd_amount),
  creditedAmount: deposit.credited_amount === null ? null : formatUnits(deposit.credited_amount),
  currencyId: deposit.currency_id,
  holdUntil: deposit.hold_until && iso(deposit.hold_until),
  failReason: deposit.fail_reason,
});
