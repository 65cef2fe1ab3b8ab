import { z } from 'zod';
import { Amount, Moment, strictObject } from '../../../http/schemas.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { webhookErrors } from '../../base/webhooks/schemas.ts';
import type { WebhookEvent } from '../../base/webhooks/service.ts';
import { signedBy } from '../../base/webhooks/signature.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import { applyReport, findOwner, lockTransaction } from './apply.ts';
import { createMarketplace, type Marketplace, parseReport } from './marketplace.ts';
import { SKIN_STATUSES } from './rules.ts';

export type SkinDeps = { db: Db; payments: PaymentDeps; skins: Skins };

type Skins = ReturnType<typeof createSkins>;

/** The marketplace's client, and the receiver of its webhooks. */
export function createSkins(deps: PaymentDeps) {
  const marketplace = createMarketplace(deps);
  return { marketplace, receive: createSkinWebhooks({ ...deps, marketplace }) };
}

export const SkinWebhook = strictObject('SkinWebhook', {
  transactionId: z.string().min(1).max(100),
  status: z.enum(SKIN_STATUSES),
  items: z
    .array(z.strictObject({ name: z.string().min(1).max(200), priceUsd: Amount }))
    .max(500)
    .optional(),
  usdAmount: Amount.nullable().optional(),
  holdUntil: Moment.nullable().optional(),
  userRisk: z
    .record(z.string(), z.unknown())
    .nullable()
    .optional()
    .meta({ description: '`score`: 0 (no risk) to 100' }),
  failReason: z.string().max(500).nullable().optional(),
  occurredAt: Moment,
});

/** The only marketplace so far. It uses our own protocol. */
const PROVIDER = 'sandbox';
const FIELDS: ReadonlySet<string> = new Set(Object.keys(SkinWebhook.shape));

/** Registers the handler of skin webhooks and returns their receiver, which stores every signed body. */
function createSkinWebhooks(deps: PaymentDeps & { marketplace: Marketplace | undefined }) {
  const { config, webhooks, marketplace } = deps;
  webhooks.on('skins', (tx, event) => processWebhook(tx, deps, event));
  return webhooks.receiver('skins', (provider) => {
    if (!marketplace || provider !== PROVIDER) throw webhookErrors.PROVIDER_NOT_FOUND();
    return { isSigned: signedBy(config.SKINS_WEBHOOK_SECRETS, deps), fields: FIELDS };
  });
}

/** Applies a webhook, or stores it until its transaction is known to us. */
async function processWebhook(tx: Tx, deps: PaymentDeps, { raw, provider }: WebhookEvent): Promise<void> {
  const report = parseReport(raw);
  const { transactionId } = report;
  let owner = await findOwner(tx, transactionId);
  if (!owner) {
    await lockTransaction(tx, transactionId);
    owner = await findOwner(tx, transactionId);
  }
  if (owner) {
    const { rawUsdAmount: said } = report;
    if (said !== undefined) {
      const facts = { said, bookedUnits: String(report.usdAmount), currencyId: 'USD' };
      const cut = { subject: `skins:${transactionId}`, userId: owner.user_id, facts };
      await deps.partnerReports.storeCut(tx, { slug: provider }, cut);
    }
    return applyReport(tx, deps, owner, report);
  }
  deps.metrics.depositFindings.inc({ reason: 'TRANSACTION_UNKNOWN' });
  deps.log.warn({ transactionId }, 'skin webhook about an unknown transaction stored');
  await storeWebhook(tx, transactionId, raw);
}

async function storeWebhook(tx: Tx, transactionId: string, body: Buffer): Promise<void> {
  await tx.insertInto('skin_notices').values({ transaction_id: transactionId, body }).execute();
}
