import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { CurrencyId, Decimal, object, Timestamp } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { type Deductions, NGR_VERSION } from '../../../money/rewards/rules.ts';
import { TIME_GROUPS, type TimeGroup, withPrevious } from '../periods/rules.ts';
import { readApprovals, readGiven, readPayments, readPlayByProvider } from '../queries.ts';
import { type Compared, comparedFrom, comparedSteps, type DashboardDeps, readCompared } from '../request.ts';
import { type Revenue as RevenueSums, ratioOf, revenueOf } from '../rules.ts';
import { compared, comparison, count, DashboardQuery } from '../schemas.ts';

const RevenueQuery = DashboardQuery.extend({ timeGroup: z.enum(TIME_GROUPS).default('DAY') });

const revenue = { turnoverUsd: Decimal, ggrUsd: Decimal, ngrUsd: Decimal };
const NgrDeductions = object('NgrDeductions', {
  convertedBonusUsd: Decimal,
  rakebackUsd: Decimal,
  affiliateUsd: Decimal,
  prizesUsd: Decimal,
  adminTipsUsd: Decimal,
  adminDeductionsUsd: Decimal,
  providerFeesUsd: Decimal,
});
const DashboardRevenue = object('DashboardRevenue', {
  ...revenue,
  ngrVersion: z.string(),
  deductions: NgrDeductions,
  series: z.array(z.object({ at: Timestamp, ...revenue })),
});
const RevenueResponse = compared(DashboardRevenue);

export const getRevenue = operation({
  ...comparison,
  path: '/admin/dashboard/revenue',
  summary: 'Compare revenue with the previous period',
  query: RevenueQuery,
  response: RevenueResponse,
  handler: (deps: DashboardDeps, { query }) => {
    const request = { ...comparedFrom(deps, query), timeGroup: query.timeGroup };
    return readCompared(deps, 'revenue', query, (tx) => readRevenue(tx, deps, request));
  },
});

async function readRevenue(
  tx: Tx,
  { gameLabels: labels }: Pick<DashboardDeps, 'gameLabels'>,
  asked: Compared & { timeGroup: TimeGroup },
): Promise<z.input<typeof RevenueResponse>> {
  const { steps, own } = comparedSteps(asked, asked.timeGroup);
  const play = Map.groupBy(await readPlayByProvider(tx, steps), ({ step }) => step);
  const given = await readGiven(tx, steps, asked.currencyId);

  const revenueFrom = (first: number, end: number) => {
    const all = steps.starts.slice(first, end).map((at, i) => ({
      at,
      play: play.get(first + i) ?? [],
      given: given[first + i]!,
    }));
    const total = revenueOf(
      all.flatMap((step) => step.play),
      all.flatMap((step) => step.given),
      labels.feePpmOf,
    );
    return {
      ...shown(total),
      ngrVersion: NGR_VERSION,
      deductions: shownDeductions(total.deductions),
      series: all.map((step) => ({
        at: iso(new Date(step.at)),
        ...shown(revenueOf(step.play, step.given, labels.feePpmOf)),
      })),
    };
  };
  return { previous: revenueFrom(0, own), current: revenueFrom(own, steps.starts.length) };
}

const shown = ({ turnover, ggr, ngr }: RevenueSums) => ({
  turnoverUsd: formatUnits(turnover),
  ggrUsd: formatUnits(ggr),
  ngrUsd: formatUnits(ngr),
});

const shownDeductions = (deductions: Deductions) => ({
  convertedBonusUsd: formatUnits(deductions.convertedBonus),
  rakebackUsd: formatUnits(deductions.rakeback),
  affiliateUsd: formatUnits(deductions.affiliate),
  prizesUsd: formatUnits(deductions.prizes),
  adminTipsUsd: formatUnits(deductions.adminTips),
  adminDeductionsUsd: formatUnits(deductions.adminDeductions),
  providerFeesUsd: formatUnits(deductions.providerFees),
});

const DashboardPaymentRow = object('DashboardPaymentRow', {
  direction: z.enum(['DEPOSIT', 'WITHDRAW']),
  currencyId: CurrencyId,
  networkId: z
    .string()
    .nullable()
    .meta({ description: 'Null for payments without a network, such as skin deposits.' }),
  count: count.meta({ description: 'The number of completed payments.' }),
  amount: Decimal,
  usdAmount: Decimal,
  failureRate: z.number().meta({ description: 'Failed ÷ (completed + failed), rounded to four decimals.' }),
  medianApprovalSeconds: count.nullable().meta({
    description: 'The median time from request to approval, for withdrawals approved in the period.',
  }),
});
const PaymentRows = compared(z.array(DashboardPaymentRow));

export const listPayments = operation({
  ...comparison,
  path: '/admin/dashboard/payments',
  summary: 'Compare payments with the previous period',
  query: DashboardQuery,
  response: PaymentRows,
  handler: (deps: DashboardDeps, { query }) => {
    const request = comparedFrom(deps, query);
    return readCompared(deps, 'payments', query, (tx) => readPaymentRows(tx, request));
  },
});

/** Reads completed and failed payments. */
async function readPaymentRows(
  tx: Tx,
  { period, currencyId }: Compared,
): Promise<z.input<typeof PaymentRows>> {
  const steps = withPrevious(period);
  const payments = await readPayments(tx, steps, currencyId);
  const approvals = await readApprovals(tx, steps, currencyId);

  const rowsOf = (step: number) =>
    payments
      .filter((row) => row.step === step && row.count + row.failed > 0n)
      .map(({ direction, currencyId, networkId, count, failed, amount, usdAmount }) => ({
        direction,
        currencyId,
        networkId: networkId === '' ? null : networkId,
        count: Number(count),
        amount: formatUnits(amount),
        usdAmount: formatUnits(usdAmount),
        failureRate: ratioOf(failed, count + failed),
        medianApprovalSeconds:
          direction === 'DEPOSIT'
            ? null
            : (approvals.find(
                (row) => row.step === step && row.currencyId === currencyId && row.networkId === networkId,
              )?.seconds ?? null),
      }));
  return { previous: rowsOf(0), current: rowsOf(1) };
}
