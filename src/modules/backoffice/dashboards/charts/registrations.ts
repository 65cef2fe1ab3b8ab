import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import type { DashboardDeps } from '../deps.ts';
import type { Steps } from '../periods/rules.ts';
import { readFirstDeposits, readRegistrations } from '../players/queries.ts';
import { readChart } from '../request.ts';
import { percentOf } from '../rules.ts';
import { chart, GameQuery, series } from '../schemas.ts';
import { seriesOf } from './series.ts';

const RegistrationStats = z.object({
  registrationCount: z.number(),
  registrationTimeSeries: series,
  firstTimeDepositCount: z.number(),
  firstTimeDepositTimeSeries: series,
  firstTimeDepositPercent: z.number(),
  firstTimeDepositPercentTimeSeries: series,
});

export const getRegistrationStats = operation({
  ...chart,
  path: '/admin/dashboard-v2/query/registrations',
  summary: 'Get sign-ups and first deposits of a time range',
  query: GameQuery,
  response: RegistrationStats,
  handler: (deps: DashboardDeps, { query }) =>
    readChart(deps, 'registration-stats', query, (tx, period) => readRegistrationStats(tx, period.steps)),
});

async function readRegistrationStats(tx: Tx, steps: Steps): Promise<z.input<typeof RegistrationStats>> {
  const registered = await readRegistrations(tx, steps);
  const first = await readFirstDeposits(tx, steps);
  const total = (all: readonly bigint[]) => all.reduce((a, b) => a + b, 0n);
  return {
    registrationCount: Number(total(registered)),
    registrationTimeSeries: seriesOf(steps, (step) => Number(registered[step])),
    firstTimeDepositCount: Number(total(first)),
    firstTimeDepositTimeSeries: seriesOf(steps, (step) => Number(first[step])),
    firstTimeDepositPercent: percentOf(total(first), total(registered)),
    firstTimeDepositPercentTimeSeries: seriesOf(steps, (step) => percentOf(first[step]!, registered[step]!)),
  };
}
