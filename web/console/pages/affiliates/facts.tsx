import { Link } from 'wouter';
import { Usd } from '../../../kit/amount.tsx';
import { Card, Facts, Loaded, YesNo } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { UserLink } from '../../user-link.tsx';

export const EXTENDED = 'POST /admin/affiliate/find-one-extended';
const ONE = 'POST /admin/affiliate/find-one';
const STATS = 'POST /admin/affiliate/find-one-stats';

/** Level, earnings and referrals of one affiliate. */
export function AffiliateFacts({ userId, isHere = false }: { userId: number; isHere?: boolean }) {
  const body = { where: { userId } };
  const extended = useRead(EXTENDED, { body });
  const summary = useRead(ONE, { body });
  const stats = useRead(STATS, { body });
  const now = summary.data;
  return (
    <Card
      title="Affiliate"
      actions={!isHere && <Link href={`/affiliates/${userId}`}>Codes and referrals</Link>}
    >
      <Loaded of={extended}>
        {({ user, level, referrals, earnedCommissions, unclaimedCommissions }) => (
          <Facts
            of={{
              Player: <UserLink of={user} />,
              Level: level?.name ?? 'None yet',
              'Next level': now?.nextLevel?.name,
              Referrals: referrals.total,
              'Active referrals': referrals.active,
              'Wagered by referrals': <Usd of={referrals.wageredUsdAmount} />,
              'Deposited by referrals': <Usd of={referrals.depositedUsdAmount} />,
              Earned: <Usd of={earnedCommissions} />,
              Unclaimed: <Usd of={unclaimedCommissions} />,
              'Claimable now': <Usd of={stats.data?.claimableUsdAmount} />,
              Claimed: <Usd of={stats.data?.totalClaimedUsdAmount} />,
              'Can claim': now && <YesNo of={now.canClaim} />,
            }}
          />
        )}
      </Loaded>
    </Card>
  );
}
