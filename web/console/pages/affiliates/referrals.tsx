import type { AdminAffiliateUserRow } from '../../../../client/call.ts';
import { Usd, When } from '../../../kit/amount.tsx';
import {
  type FilterField,
  Filters,
  type FiltersIn,
  ORDER,
  useFilters,
  YES_NO,
} from '../../../kit/filters.ts';
import { List } from '../../../kit/list.tsx';
import { Page, YesNo } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import type { Columns } from '../../../kit/table.tsx';
import { Export } from '../../export.tsx';
import { UserLink } from '../../user-link.tsx';
import { AffiliateTabs } from './affiliates.tsx';

const LIST = 'POST /admin/affiliate/users';
const SORTS = ['wageredUsdAmount', 'earnedUsdAmount'] as const;

const REFERRAL_FILTERS: readonly FilterField[] = [
  { name: 'search', label: 'Username or id' },
  { name: 'affiliateUserId', label: 'Affiliate (user id)', type: 'number' },
  { name: 'code', label: 'Came with code' },
  { name: 'isActive', label: 'Active', of: YES_NO },
  { name: 'startDate', label: 'Signed up from', type: 'datetime-local' },
  { name: 'endDate', label: 'Signed up until', type: 'datetime-local' },
  { name: 'sortBy', label: 'By', of: SORTS, none: 'time' },
  ORDER,
];

/**
 * Returns the filters as the request body of the referral lists. `of`: an affiliate's id. If it is set, only this affiliate's referrals are
 * listed.
 */
export const referralsBody = ({ text, number, flag, moment }: FiltersIn, of?: number) => ({
  sortBy: text<(typeof SORTS)[number]>('sortBy'),
  sortOrder: text<'asc' | 'desc'>('sortOrder'),
  where: {
    affiliateUserId: of ?? number('affiliateUserId'),
    search: text('search'),
    code: text('code'),
    isActive: flag('isActive'),
    startDate: moment('startDate'),
    endDate: moment('endDate'),
  },
});

/** Returns the filter fields of a referral list. The list of a single affiliate has no filter for the affiliate. */
export const referralFilters = (of?: number) =>
  REFERRAL_FILTERS.filter(({ name }) => of === undefined || name !== 'affiliateUserId');

const COLUMNS: Columns<AdminAffiliateUserRow> = [
  { head: 'Signed up', of: ({ createdAt }) => <When at={createdAt} /> },
  { head: 'Player', of: ({ user }) => <UserLink of={user} /> },
  { head: 'Affiliate', of: ({ affiliateUserId }) => <UserLink of={{ id: affiliateUserId }} /> },
  { head: 'Code', of: ({ code }) => code ?? '–' },
  { head: 'Active', of: ({ isActive }) => <YesNo of={isActive} /> },
  { head: 'Wagered', of: ({ wageredUsdAmount }) => <Usd of={wageredUsdAmount} />, end: true },
  { head: 'Earned by them', of: ({ earnedUsdAmount }) => <Usd of={earnedUsdAmount} />, end: true },
  { head: 'Paid in', of: ({ depositedUsdAmount }) => <Usd of={depositedUsdAmount} />, end: true },
  { head: 'Paid out', of: ({ withdrawnUsdAmount }) => <Usd of={withdrawnUsdAmount} />, end: true },
  { head: 'Last bet', of: ({ lastBetAt }) => <When at={lastBetAt} /> },
];

export const Referrals = () => (
  <Page title="Referrals" filters={<AffiliateTabs />}>
    <ReferralList />
  </Page>
);

export function ReferralList({ of }: { of?: number }) {
  const filters = useFilters({});
  const body = referralsBody(filters, of);
  const list = useRead(LIST, { body: { ...body, page: filters.page, take: 50 } });
  return (
    <>
      <div className="head">
        <Filters of={referralFilters(of)} in={filters} />
        <Export op={LIST} input={{ body }} name="referrals" />
      </div>
      <List
        of={list}
        columns={COLUMNS.filter(({ head }) => of === undefined || head !== 'Affiliate')}
        caption="Referrals"
        keyOf={({ userId }) => userId}
        onPage={filters.toPage}
        empty="No referral is like this."
      />
    </>
  );
}
