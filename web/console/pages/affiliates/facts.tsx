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
      title="As an affiliate"
      actions={!isHere && <Link href={`/affiliates/${userId}`}>Codes and referrals</Link>}
    >
      <Loaded of={extended}>
        {({ user, level, referrals, earnedCommissions, unclaimedCommissions }) => (
          <Facts
            of={{
              Player: <UserLink of={user} />,
              Level: level?.name ?? 'none yet',
              'Next level': now?.nextLevel?.name,
              Referrals: referrals.total,
              'Active ones': referrals.active,
              'They wagered': <Usd of={referrals.wageredUsdAmount} />,
              'They paid in': <Usd of={referrals.depositedUsdAmount} />,
              Earned: <Usd of={earnedCommissions} />,
              'Not claimed': <Usd of={unclaimedCommissions} />,
              'Can be claimed now': <Usd of={stats.data?.claimableUsdAmount} />,
              Claimed: <Usd of={stats.data?.totalClaimedUsdAmount} />,
              'May claim': now && <YesNo of={now.canClaim} />,
            }}
          />
        )}
      </Loaded>
    </Card>
  );
}
