import type { z } from 'zod';
import { iso } from '../../../../platform/clock.ts';
import type { Tx } from '../../../../platform/db.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { type Deductions, NGR_VERSION } from '../../../money/rewards/rules.ts';
import { type Compared, comparedSteps, type DashboardDeps } from '../asked.ts';
import { readGiven } from '../money/queries.ts';
import type { TimeGroup } from '../periods/rules.ts';
import { readPlayByProvider } from '../play/queries.ts';
import { type Revenue as RevenueSums, revenueOf } from '../rules.ts';
import type { Revenue } from '../schemas.ts';

/** What was played in a period and in the one before, and what was left of it, step by step. Throws 400 VALIDATION_FAILED. */
export async function readRevenue(
  tx: Tx,
  { labels }: Pick<DashboardDeps, 'labels'>,
  asked: Compared & { timeGroup: TimeGroup },
): Promise<z.input<typeof Revenue>> {
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
