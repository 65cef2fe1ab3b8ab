import type { PaymentDeps } from '../deps.ts';
import { readReports } from '../providers/unreadable.ts';
import { applyReport } from './apply.ts';

/** Registers the handler of deposit webhooks and returns their receiver, which stores every signed body. */
export function createDepositWebhooks(deps: PaymentDeps) {
  const { webhooks, providers, partnerReports, metrics } = deps;
  webhooks.on('deposit', async (tx, { provider, raw }) => {
    for (const report of readReports(providers.get(provider), raw)) {
      if (report.unknownType !== undefined) partnerReports.countType(provider, report.unknownType);
      if (report.isCut) metrics.amountsCut.inc({ provider });
      await applyReport(tx, deps, { providerId: provider, report });
    }
  });
  return webhooks.receiver('deposit', providers.get);
}
