import type { AffiliateOverview } from '../../../../client/call.ts';
import { units } from '../../../../src/platform/money.ts';
import { Usd } from '../../../kit/amount.tsx';
import { Button } from '../../../kit/button.tsx';
import { Skeleton } from '../../../kit/figures.tsx';
import { money, number, unit } from '../../../kit/intl.ts';
import { Refusal } from '../../../kit/note.tsx';
import { Loaded, Page } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { isPositive } from '../../amounts.ts';
import { words } from '../../words.ts';
import { Codes } from './affiliate-codes.tsx';
import { Level } from './affiliate-level.tsx';
import { Claims, Referred } from './affiliate-lists.tsx';
import { RewardTabs, Strip, useProgramme } from './parts.tsx';
import { Spotlight } from './spotlight.tsx';

const OVERVIEW = 'GET /affiliate/overview';
const ME = 'GET /affiliate/me';

/** The player's referral link, codes and commission. */
export function Affiliate() {
  const { affiliate } = words.club;
  const overview = useRead(OVERVIEW, {});
  return (
    <Page title={affiliate.title} filters={<RewardTabs />}>
      <div className="rewards">
        <p className="lead">{affiliate.hint}</p>
        <Loaded of={overview} skeleton={<Skeleton height={230} />}>
          {(all) => (
            <>
              <Claimable of={all} />
              <Strip
                of={[
                  [affiliate.claimedInAll, <Usd key="claimed" of={all.totalClaimedUsdAmount} />],
                  [affiliate.referrals, number(all.referrals)],
                  [affiliate.wagered, <Usd key="wagered" of={all.totalWageredUsdAmount} />],
                ]}
              />
            </>
          )}
        </Loaded>
        <div className="halves">
          <Codes />
          <Level />
        </div>
        <Referred />
        <Claims />
      </div>
    </Page>
  );
}

/** The commission that can be claimed, and what a claim needs. */
function Claimable({ of: { claimableUsdAmount: ready } }: { of: AffiliateOverview }) {
  const { affiliate } = words.club;
  const programme = useProgramme();
  const me = useRead(ME, {});
  const claim = useAct('POST /affiliate/claim', {
    stale: [OVERVIEW, ME, 'GET /affiliate/claims', 'GET /accounting/balances'],
    said: ({ amount, currencyId }) => affiliate.claimed(money(amount, currencyId)),
  });
  const least = programme?.minClaimUsd ?? '0';
  const needed = me.data?.currentLevel.minReferralCountForClaim ?? 0;
  const reason =
    me.data && !me.data.canClaim
      ? affiliate.locked(needed)
      : !isPositive(ready)
        ? affiliate.nothingReady
        : units(ready) < units(least)
          ? affiliate.below(money(least))
          : undefined;
  return (
    <Spotlight
      kind="friends"
      label={affiliate.claimable}
      tag={affiliate.claimable}
      icon="users"
      end={
        <Button
          size="lg"
          kind="main"
          op={claim.op}
          isBusy={claim.isBusy}
          why={reason}
          onClick={() => void claim.run({})}
        >
          {affiliate.claim}
        </Button>
      }
    >
      <p className="show">
        <Usd of={ready} />
      </p>
      <p>{reason ?? (programme && conditionsOf(programme))}</p>
      {claim.refused && <Refusal of={claim.refused} />}
    </Spotlight>
  );
}

function conditionsOf({ minClaimUsd, holdDays }: { minClaimUsd: string; holdDays: number }): string {
  const { affiliate } = words.club;
  return [
    isPositive(minClaimUsd) ? affiliate.least(money(minClaimUsd)) : '',
    holdDays > 0 ? affiliate.hold(unit(holdDays, 'day', 'long')) : '',
  ]
    .filter(Boolean)
    .join(' ');
}
