import type { z } from 'zod';
import type { Tx } from '../../../../platform/db.ts';
import type { Steps } from '../periods/rules.ts';
import { readFirstDeposits, readRegistrations } from '../players/queries.ts';
import { percentOf } from '../rules.ts';
import type { RegistrationStats } from '../schemas.ts';
import { seriesOf } from './series.ts';

/** Who signed up and who deposited for the first time, step by step. */
export async function readRegistrationStats(
  tx: Tx,
  steps: Steps,
): Promise<z.input<typeof RegistrationStats>> {
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
