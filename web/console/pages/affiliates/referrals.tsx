import type { AdminAffiliateUserRow } from '../../../../client/call.ts';
import { Usd, When } from '../../../kit/amount.tsx';
import type { FilterReader } from '../../../kit/filters.ts';
import { YesNo } from '../../../kit/page.tsx';
import { listPage, listPart } from '../../list/list-page.tsx';
import { type Column, type Filter, type ListSpec, period, player, text, yesNo } from '../../list/spec.ts';
import { UserLink } from '../../user-link.tsx';

const LIST = 'POST /admin/affiliate/users';

/** `affiliate`: the user id of the affiliate or streamer to whose referrals an embedded list is limited. */
export type ReferralsOf = { affiliate?: number };

export const REFERRAL_FILTERS: readonly Filter[] = [
  yesNo('isActive', 'Active'),
  player('affiliateUserId', 'Affiliate'),
  period('startDate', 'endDate', 'Signed up'),
  text('code', 'Code'),
];

/** Returns the filters as the request body of the referral lists. */
export const referralsBody = (
  { text: read, number, flag, moment }: FilterReader,
  { affiliate }: ReferralsOf,
) => ({
  sortBy: read<'createdAt' | 'wageredUsdAmount' | 'earnedUsdAmount'>('sortBy'),
  sortOrder: read<'asc' | 'desc'>('sortOrder'),
  where: {
    affiliateUserId: affiliate ?? number('affiliateUserId'),
    search: read('search'),
    code: read('code'),
    isActive: flag('isActive'),
    startDate: moment('startDate'),
    endDate: moment('endDate'),
  },
});

type Row = Omit<AdminAffiliateUserRow, 'isActive' | 'affiliateUserId' | 'affiliateUser'>;

/** The columns that referrals of affiliates and of streamers share, in two parts. */
export const REFERRAL: { first: readonly Column<Row>[]; last: readonly Column<Row>[] } = {
  first: [
    {
      name: 'createdAt',
      head: 'Signed up',
      of: ({ createdAt }) => <When at={createdAt} />,
      sort: 'createdAt',
    },
    {
      name: 'user',
      fields: ['userId', 'user.username'],
      head: 'Player',
      of: ({ user }) => <UserLink of={user} />,
      isMain: true,
    },
    { name: 'code', head: 'Code', of: ({ code }) => code ?? '–' },
  ],
  last: [
    {
      name: 'wageredUsdAmount',
      head: 'Wagered',
      of: (r) => <Usd of={r.wageredUsdAmount} />,
      end: true,
      sort: 'wageredUsdAmount',
      isMain: true,
    },
    {
      name: 'earnedUsdAmount',
      head: 'Commission',
      of: (r) => <Usd of={r.earnedUsdAmount} />,
      end: true,
      sort: 'earnedUsdAmount',
    },
    {
      name: 'depositedUsdAmount',
      head: 'Deposited',
      of: (r) => <Usd of={r.depositedUsdAmount} />,
      end: true,
    },
    {
      name: 'withdrawnUsdAmount',
      head: 'Withdrawn',
      of: (r) => <Usd of={r.withdrawnUsdAmount} />,
      end: true,
    },
    { name: 'lastBetAt', head: 'Last bet', of: ({ lastBetAt }) => <When at={lastBetAt} /> },
  ],
};

const spec: ListSpec<typeof LIST, ReferralsOf> = {
  list: 'referrals',
  title: 'Referrals',
  op: LIST,
  file: 'referrals',
  input: (filters, of) => ({ body: referralsBody(filters, of) }),
  keyOf: ({ userId }) => userId,
  idField: 'userId',
  nameOf: ({ user }) => user.username,
  without: ({ affiliate }) => (affiliate === undefined ? [] : ['affiliateUserId']),
  sorted: { by: 'createdAt', order: 'desc' },
  search: { name: 'search', label: 'Username or ID' },
  filters: REFERRAL_FILTERS,
  columns: [
    ...REFERRAL.first,
    {
      name: 'affiliateUserId',
      fields: ['affiliateUserId', 'affiliateUser.username'],
      head: 'Affiliate',
      of: ({ affiliateUserId, affiliateUser }) => <UserLink of={affiliateUser ?? { id: affiliateUserId }} />,
    },
    { name: 'isActive', head: 'Active', of: ({ isActive }) => <YesNo of={isActive} /> },
    ...REFERRAL.last,
  ],
  empty: 'Players who sign up with a code appear here',
};

export const Referrals = listPage({ ...spec, of: {} });
export const ReferralList = listPart(spec);
