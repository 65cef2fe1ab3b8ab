import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { Decimal, object } from '../../../../http/schemas.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { HELD } from '../../../money/payments/withdrawals/rules.ts';
import { withPrevious } from '../periods/rules.ts';
import { countPlayers, countRepeatDepositors } from '../players/count.ts';
import {
  type Direction,
  readFirstDeposits,
  readGiven,
  readPayments,
  readPending,
  readPlayByProvider,
  readRegistrations,
} from '../queries.ts';
import { type Compared, comparedFrom, type DashboardDeps, readCompared } from '../request.ts';
import { ratioOf, revenueOf, totalOf } from '../rules.ts';
import { compared, comparison, count, DashboardQuery } from '../schemas.ts';

const DashboardOverview = object('DashboardOverview', {
  registrations: count,
  ftd: count.meta({ description: 'The number of first deposits.' }),
  repeatDepositors: count.meta({ description: 'Players who made a deposit that is not their first.' }),
  activeUsers: count.meta({ description: 'Players with at least one bet that counts.' }),
  depositUsd: Decimal,
  withdrawUsd: Decimal,
  pendingWithdrawUsd: Decimal.meta({
    description: 'The total of all currently open withdrawals. It is the same in both periods.',
  }),
  turnoverUsd: Decimal,
  ggrUsd: Decimal,
  ngrUsd: Decimal,
  betCount: count,
  averageBetUsd: Decimal,
  regToFtdRate: z.number().meta({ description: 'First deposits ÷ registrations, rounded to four decimals.' }),
});
const Overview = compared(DashboardOverview);

export const getOverview = operation({
  ...comparison,
  path: '/admin/dashboard/overview',
  summary: "Compare a period's main figures with the previous period",
  query: DashboardQuery,
  response: Overview,
  handler: (deps: DashboardDeps, { query }) => {
    const request = comparedFrom(deps, query);
    return readCompared(deps, 'overview', query, (tx) => readOverview(tx, deps, request));
  },
});

async function readOverview(
  tx: Tx,
  { gameLabels: labels }: Pick<DashboardDeps, 'gameLabels'>,
  { period, currencyId }: Compared,
): Promise<z.input<typeof Overview>> {
  const steps = withPrevious(period);
  const play = await readPlayByProvider(tx, steps);
  const { bySteps: active } = await countPlayers(tx, steps);
  const given = await readGiven(tx, steps, currencyId);
  const payments = await readPayments(tx, steps, currencyId);
  const pending = await readPending(tx, HELD, currencyId);
  const repeat = await countRepeatDepositors(tx, steps, currencyId);
  const registered = await readRegistrations(tx, steps);
  const first = await readFirstDeposits(tx, steps, currencyId);

  const figuresOf = (step: number) => {
    const own = play.filter((row) => row.step === step);
    const { bets } = totalOf(own.map((row) => row.play));
    const { turnover, ggr, ngr } = revenueOf(own, given[step]!, labels.feePpmOf);
    const paid = (direction: Direction) =>
      payments
        .filter((row) => row.step === step && row.direction === direction)
        .reduce((sum, row) => sum + row.usdAmount, 0n);
    return {
      registrations: Number(registered[step]),
      ftd: Number(first[step]),
      repeatDepositors: repeat[step]!,
      activeUsers: Number(active[step]),
      depositUsd: formatUnits(paid('DEPOSIT')),
      withdrawUsd: formatUnits(paid('WITHDRAW')),
      pendingWithdrawUsd: formatUnits(pending),
      turnoverUsd: formatUnits(turnover),
      ggrUsd: formatUnits(ggr),
      ngrUsd: formatUnits(ngr),
      betCount: Number(bets),
      averageBetUsd: formatUnits(bets === 0n ? 0n : turnover / bets),
      regToFtdRate: ratioOf(first[step]!, registered[step]!),
    };
  };
  return { previous: figuresOf(0), current: figuresOf(1) };
}
