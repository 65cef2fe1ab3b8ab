import type { StreamerReferralRow, StreamerRow } from '../../../../client/call.ts';
import { Usd, When } from '../../../kit/amount.tsx';
import { type FilterField, Filters, ORDER, useFilters } from '../../../kit/filters.ts';
import { List } from '../../../kit/list.tsx';
import { Card, Facts, Page } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import type { Columns } from '../../../kit/table.tsx';
import { Tabs } from '../../../kit/tabs.tsx';
import { Export } from '../../export.tsx';
import { UserLink } from '../../user-link.tsx';
import { CodeTable } from './affiliate.tsx';
import { referralFilters, referralsBody } from './referrals.tsx';

const LIST = 'POST /admin/affiliate/streamer';
const REFERRALS = 'POST /admin/affiliate/streamer/referrals';
const SORTS = ['wageredUsdAmount', 'earnedUsdAmount'] as const;

const FILTERS: readonly FilterField[] = [{ name: 'sortBy', label: 'By', of: SORTS, none: 'time' }, ORDER];

const COLUMNS: Columns<StreamerRow> = [
  { head: 'Streamer', of: ({ user }) => user.username },
  { head: 'Level', of: ({ level }) => level?.name ?? '–' },
  { head: 'Codes', of: ({ codes }) => codes.map(({ id }) => id).join(', '), wide: true },
  { head: 'Referrals', of: ({ referralCount }) => referralCount, end: true },
  { head: 'Active', of: ({ activeReferrals }) => activeReferrals, end: true },
  { head: 'Have paid in', of: ({ ftdCount }) => ftdCount, end: true },
  { head: 'They paid in', of: ({ depositedUsdAmount }) => <Usd of={depositedUsdAmount} />, end: true },
  { head: 'They wagered', of: ({ usersWageredUsdAmount }) => <Usd of={usersWageredUsdAmount} />, end: true },
  { head: 'For the house', of: ({ ggrUsdAmount }) => <Usd of={ggrUsdAmount} />, end: true },
  { head: 'Earned', of: ({ earnedUsdAmount }) => <Usd of={earnedUsdAmount} />, end: true },
  { head: 'Can claim', of: ({ claimableUsdAmount }) => <Usd of={claimableUsdAmount} />, end: true },
];

const StreamerTabs = () => (
  <Tabs label="Streamers" of={{ Streamers: '/streamers', 'Their referrals': '/streamers/referrals' }} />
);

/** Lists streamers. Staff make a user a streamer by editing the profile on the user's page. */
export function Streamers() {
  const filters = useFilters({});
  const { text, page } = filters;
  const body = {
    sortBy: text<(typeof SORTS)[number]>('sortBy'),
    sortOrder: text<'asc' | 'desc'>('sortOrder'),
  };
  const list = useRead(LIST, { body: { ...body, page, take: 50 } });
  return (
    <Page
      title="Streamers"
      filters={
        <>
          <StreamerTabs />
          <Filters of={FILTERS} in={filters} />
        </>
      }
      actions={<Export op={LIST} input={{ body }} name="streamers" />}
    >
      <List
        of={list}
        columns={COLUMNS}
        caption="Streamers"
        keyOf={({ userId }) => userId}
        to={({ userId }) => `/streamers/${userId}`}
        onPage={filters.toPage}
        empty="Nobody is a streamer. A user becomes one on their page, under Profile."
      />
    </Page>
  );
}

const REFERRAL_COLUMNS: Columns<StreamerReferralRow> = [
  { head: 'Signed up', of: ({ createdAt }) => <When at={createdAt} /> },
  { head: 'Player', of: ({ user }) => <UserLink of={user} /> },
  { head: 'Streamer', of: ({ streamerUserId }) => <UserLink of={{ id: streamerUserId }} /> },
  { head: 'Code', of: ({ code }) => code ?? '–' },
  { head: 'Wagered', of: ({ wageredUsdAmount }) => <Usd of={wageredUsdAmount} />, end: true },
  { head: 'For the house', of: ({ ggrUsdAmount }) => <Usd of={ggrUsdAmount} />, end: true },
  { head: 'Earned by them', of: ({ earnedUsdAmount }) => <Usd of={earnedUsdAmount} />, end: true },
  { head: 'Paid in', of: ({ depositedUsdAmount }) => <Usd of={depositedUsdAmount} />, end: true },
  { head: 'Paid out', of: ({ withdrawnUsdAmount }) => <Usd of={withdrawnUsdAmount} />, end: true },
  { head: 'Last bet', of: ({ lastBetAt }) => <When at={lastBetAt} /> },
];

export const StreamerReferrals = () => (
  <Page title="Referrals of streamers" filters={<StreamerTabs />}>
    <ReferralsOf />
  </Page>
);

function ReferralsOf({ of }: { of?: number }) {
  const filters = useFilters({});
  const body = referralsBody(filters, of);
  const list = useRead(REFERRALS, { body: { ...body, page: filters.page, take: 50 } });
  return (
    <>
      <div className="head">
        <Filters of={referralFilters(of)} in={filters} />
        <Export op={REFERRALS} input={{ body }} name="streamer-referrals" />
      </div>
      <List
        of={list}
        columns={REFERRAL_COLUMNS.filter(({ head }) => of === undefined || head !== 'Streamer')}
        caption="Referrals of streamers"
        keyOf={({ userId }) => userId}
        onPage={filters.toPage}
        empty="No referral is like this."
      />
    </>
  );
}

export function StreamerPage({ params }: { params: { id?: string } }) {
  const id = Number(params.id);
  const one = useRead('GET /admin/affiliate/streamer/{id}', { path: { id } });
  return (
    <Page title="Streamer" of={one}>
      {({ level, codes }) => (
        <div className="stack">
          <Card title="As a streamer">
            <Facts
              of={{
                Player: <UserLink of={{ id }} />,
                Level: level?.name ?? 'none yet',
                'Of the house edge': level && `${level.commission} %`,
              }}
            />
          </Card>
          <Card title="Codes">
            <CodeTable of={codes} />
          </Card>
          <Card title="Who came with their codes">
            <ReferralsOf of={id} />
          </Card>
        </div>
      )}
    </Page>
  );
}
