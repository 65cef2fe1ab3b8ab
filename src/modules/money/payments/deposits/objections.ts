import { networkOf, type Work } from './advance.ts';
import { ADDRESS_UNKNOWN, differences } from './rules.ts';

/**
 * Returns reasons why staff must review a report before it is credited: it could not be understood, its address is unknown, or its
 * currency, network, player or amount differs from before.
 */
export function objectionsOf({ deps, row, owner, report }: Work): string[] {
  const flaws = (report.flaws ?? []).filter((flaw) => flaw !== 'STATUS_UNKNOWN');
  if (flaws.includes('REPORT_UNREADABLE') || flaws.includes('PAYOUT_REPORT_UNREADABLE')) return flaws;
  const isCoinKnown = !flaws.includes('CURRENCY_UNKNOWN');
  const before = {
    userId: row.user_id,
    amount: row.amount,
    status: row.status,
    currencyId: row.currency_id,
    networkId: row.network_id,
  };
  // A payment's total grows with each transfer and never shrinks.
  const amount = report.isCumulative && report.amount > row.amount ? row.amount : report.amount;
  const found = [
    ...flaws,
    ...(isCoinKnown && !networkOf(deps, report) ? ['METHOD_UNKNOWN'] : []),
    ...(owner ? [] : [ADDRESS_UNKNOWN]),
    ...(isCoinKnown && owner && owner.currencyId !== report.currencyId ? ['CURRENCY_DIFFERS'] : []),
    ...(isCoinKnown && owner && owner.networkId !== report.networkId ? ['NETWORK_DIFFERS'] : []),
    ...differences(before, { ...report, amount, userId: owner?.userId ?? null }),
  ];
  return [...new Set(found)];
}
