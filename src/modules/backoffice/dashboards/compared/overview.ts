import type { z } from 'zod';
import type { Tx } from '../../../../platform/db.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { HELD } from '../../../money/payments/withdrawals/rules.ts';
import type { Compared, DashboardDeps } from '../asked.ts';
import { type Direction, readGiven, readPayments, readPending } from '../money/queries.ts';
import { countPlayers, countRepeatDepositors } from '../packed/count.ts';
import { withPrevious } from '../periods/rules.ts';
import { readPlayByProvider } from '../play/queries.ts';
import { readFirstDeposits, readRegistrations } from '../players/queries.ts';
import { ratioOf, revenueOf, totalOf } from '../rules.ts';
import type { Overview } from '../schemas.ts';

/** The figures of a period and of the one before. */
export async function readOverview(
  tx: Tx,
  { labels }: Pick<DashboardDeps, 'labels'>,
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
