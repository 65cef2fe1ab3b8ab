import type { z } from 'zod';
import type { Notice } from '../../../http/route.ts';
import { type Clock, iso } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config.ts';
import type { Db } from '../../../platform/db.ts';
import type { Log } from '../../../platform/log.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import { formatUnits } from '../../../platform/money.ts';
import { webhookErrors } from '../../base/webhooks/errors.ts';
import type { Webhooks } from '../../base/webhooks/service.ts';
import { isSigned } from '../../base/webhooks/signature.ts';
import type { Currencies } from '../currencies/service.ts';
import type { Credits } from '../payments/credit.ts';
import { paymentErrors } from '../payments/errors.ts';
import type { DepositGate } from '../payments/may-deposit.ts';
import { createBooking } from './booking.ts';
import { createMarketplace } from './marketplace.ts';
import { createNotices, readSkinNotice } from './notices.ts';
import { findDeposit, type SkinDepositRow } from './queries.ts';
import type { SkinStatus } from './rules.ts';
import type { SkinDeposit } from './schemas.ts';
import { createStart } from './start.ts';

export type Skins = ReturnType<typeof createSkins>;

/** The one marketplace whose protocol is ours: the sandbox speaks it. */
const PROVIDER = 'sandbox';

type Deps = {
  db: Db;
  config: Config;
  log: Log;
  metrics: Metrics;
  clock: Clock;
  currencies: Currencies;
  depositGate: DepositGate;
  webhooks: Webhooks;
  credits: Credits;
  countryOf: (ip: string) => string | null;
};

/** Deposits by skins: a player sells items at a marketplace, which pays us once their hold is over, or before. */
export function createSkins(parts: Deps) {
  const { db, config, clock, webhooks } = parts;
  const marketplace = createMarketplace(parts);
  const notices = createNotices({ ...parts, book: createBooking(parts) });
  webhooks.on('skins', notices.take);

  return {
    start: createStart({ ...parts, marketplace, notices }),

    /** Throws 404 DEPOSIT_NOT_FOUND, also for somebody else's. */
    async get(userId: number, id: string): Promise<z.input<typeof SkinDeposit>> {
      const deposit = await findDeposit(db, id);
      if (deposit?.user_id !== userId) throw paymentErrors.DEPOSIT_NOT_FOUND();
      return shown(deposit);
    },

    /** Takes a signed notice. Throws 404 PROVIDER_NOT_FOUND, 401 SIGNATURE_INVALID, 400 for what cannot be used. */
    async receive(provider: string, { raw, headers }: Notice): Promise<{ success: true }> {
      if (!marketplace || provider !== PROVIDER) throw webhookErrors.PROVIDER_NOT_FOUND();
      const proof = {
        secrets: config.SKINS_WEBHOOK_SECRETS,
        now: clock.now(),
        toleranceSeconds: config.WEBHOOK_TOLERANCE_SECONDS,
      };
      if (!isSigned(raw, headers['x-signature'], proof)) throw webhookErrors.SIGNATURE_INVALID();
      readSkinNotice(raw);
      await webhooks.receive('skins', { provider, raw });
      return { success: true };
    },
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
