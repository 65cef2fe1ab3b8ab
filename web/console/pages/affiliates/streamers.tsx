import { Usd } from '../../../kit/amount.tsx';
import { number, percent } from '../../../kit/intl.ts';
import { Card, Facts, Page } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { listPage, listPart } from '../../list/list-page.tsx';
import type { ListSpec } from '../../list/spec.ts';
import { UserLink } from '../../user-link.tsx';
import { CodeTable } from './affiliate.tsx';
import { REFERRAL, REFERRAL_FILTERS, type ReferralsOf, referralsBody } from './referrals.tsx';

const LIST = 'POST /admin/affiliate/streamer';
const REFERRALS = 'POST /admin/affiliate/streamer/referrals';

/** Lists streamers. Staff make a user a streamer by editing the profile on the user's page. */
export const Streamers = listPage({
  list: 'streamers',
  title: 'Streamers',
  op: LIST,
  file: 'streamers',
  input: ({ text }) => ({
    body: {
      sortBy: text<'createdAt' | 'wageredUsdAmount' | 'earnedUsdAmount'>('sortBy'),
      sortOrder: text<'asc' | 'desc'>('sortOrder'),
    },
  }),
  keyOf: ({ userId }) => userId,
  idField: 'userId',
  nameOf: ({ user }) => user.username,
  to: ({ userId }) => `/streamers/${userId}`,
  columns: [
    {
      name: 'user',
      fields: ['userId', 'user.username'],
      head: 'Streamer',
      of: ({ user }) => user.username,
      isMain: true,
    },
    { name: 'level', fields: ['level.name'], head: 'Level', of: ({ level }) => level?.name ?? '–' },
    { name: 'codes', head: 'Codes', of: ({ codes }) => codes.map(({ id }) => id).join(', '), wide: true },
    { name: 'referralCount', head: 'Referrals', of: (s) => number(s.referralCount), end: true },
    { name: 'activeReferrals', head: 'Active', of: (s) => number(s.activeReferrals), end: true },
    { name: 'ftdCount', head: 'First deposits', of: (s) => number(s.ftdCount), end: true },
    {
      name: 'depositedUsdAmount',
      head: 'Deposited',
      of: (s) => <Usd of={s.depositedUsdAmount} />,
      end: true,
    },
    {
      name: 'usersWageredUsdAmount',
      head: 'Wagered',
      of: (s) => <Usd of={s.usersWageredUsdAmount} />,
      end: true,
      sort: 'wageredUsdAmount',
    },
    { name: 'ggrUsdAmount', head: 'GGR', of: (s) => <Usd of={s.ggrUsdAmount} />, end: true },
    {
      name: 'earnedUsdAmount',
      head: 'Earned',
      of: (s) => <Usd of={s.earnedUsdAmount} />,
      end: true,
      sort: 'earnedUsdAmount',
      isMain: true,
    },
    {
      name: 'claimableUsdAmount',
      head: 'Claimable',
      of: (s) => <Usd of={s.claimableUsdAmount} />,
      end: true,
    },
  ],
  empty: 'No streamers yet. Mark a user as a streamer on the user’s page.',
});

const spec: ListSpec<typeof REFERRALS, ReferralsOf> = {
  list: 'streamer-referrals',
  title: 'Streamer referrals',
  op: REFERRALS,
  file: 'streamer-referrals',
  input: (filters, of) => ({ body: referralsBody(filters, of) }),
  keyOf: ({ userId }) => userId,
  idField: 'userId',
  nameOf: ({ user }) => user.username,
  without: ({ affiliate }) => (affiliate === undefined ? [] : ['affiliateUserId', 'streamerUserId']),
  sorted: { by: 'createdAt', order: 'desc' },
  search: { name: 'search', label: 'Username or ID' },
  filters: REFERRAL_FILTERS,
  columns: [
    ...REFERRAL.first,
    {
      name: 'streamerUserId',
      fields: ['streamerUserId', 'streamerUser.username'],
      head: 'Streamer',
      of: ({ streamerUserId, streamerUser }) => <UserLink of={streamerUser ?? { id: streamerUserId }} />,
    },
    { name: 'ggrUsdAmount', head: 'GGR', of: ({ ggrUsdAmount }) => <Usd of={ggrUsdAmount} />, end: true },
    ...REFERRAL.last,
  ],
  empty: 'Players who sign up with a streamer’s code appear here',
};

export const StreamerReferrals = listPage({ ...spec, of: {} });
const ReferralList = listPart(spec);

export function StreamerPage({ params }: { params: { id?: string } }) {
  const id = Number(params.id);
  const one = useRead('GET /admin/affiliate/streamer/{id}', { path: { id } });
  return (
    <Page title={one.data?.user ? `Streamer ${one.data.user.username}` : 'Streamer'} of={one}>
      {({ user, level, codes }) => (
        <div className="stack">
          <Card title="Streamer">
            <Facts
              of={{
                Player: <UserLink of={user ?? { id }} />,
                Level: level?.name ?? 'None yet',
                'Share of the house edge': level && percent(level.commission),
              }}
            />
          </Card>
          <Card title="Codes">
            <CodeTable of={codes} />
          </Card>
          <Card title="Referrals">
            <ReferralList of={{ affiliate: id }} />
          </Card>
        </div>
      )}
    </Page>
  );
}
