import type { UserListRow } from '../../../client/call.ts';
import { Usd, When } from '../../kit/amount.tsx';
import { Avatar } from '../../kit/avatar.tsx';
import { Badge } from '../../kit/figures.tsx';
import { number } from '../../kit/intl.ts';
import { YesNo } from '../../kit/page.tsx';
import { listPage } from '../list/list-page.tsx';
import { choice, count, period, text, yesNo } from '../list/spec.ts';
import { RISKS, riskOf } from '../risk.tsx';
import { TAGS, useCountries, useTags } from './choices.ts';
import { banUser, grantBonus, noteUser, unbanUser } from './user/bulk.tsx';
import { tagUser } from './user/tags.tsx';

/** A name with the number and the email address below it. */
function Name({ of: { username, id, email, avatar } }: { of: UserListRow }) {
  return (
    <span className="line user-cell">
      <Avatar name={username} image={avatar} size={26} />
      <span className="clip">
        {username}
        <small className="faint clip">{[`#${id}`, email].filter(Boolean).join(' · ')}</small>
      </span>
    </span>
  );
}

function StatusOf({ of }: { of: UserListRow }) {
  if (of.isBanned)
    return (
      <Badge tone="bad" icon="ban">
        Banned
      </Badge>
    );
  if (!of.emailVerified)
    return (
      <Badge tone="warn" icon="mail">
        Unverified
      </Badge>
    );
  return (
    <Badge tone="good" icon="circle-check">
      Active
    </Badge>
  );
}

const Risk = ({ of }: { of: UserListRow }) => RISKS[riskOf(of.notes ?? [])];

const useTagChoices = () => useTags().map((tag) => ({ value: tag, label: tag }));

const NOTES = 'GET /admin/user-notes';
const STAFF = 'GET /admin/user/get-admins-with-roles';

export const Users = listPage({
  list: 'users',
  title: 'Users',
  op: 'POST /admin/user/all',
  take: 25,
  file: 'users',
  input: ({ text: read, flag, number: numberIn, moment }, _, may) => ({
    body: {
      sortBy:
        read<'createdAt' | 'lastLoginAt' | 'username' | 'vipLevel' | 'kycLevel'>('sortBy') ?? 'createdAt',
      sortOrder: read<'asc' | 'desc'>('sortOrder') ?? 'desc',
      withPermissions: false,
      withRoles: false,
      withNotes: may(NOTES),
      withBalance: false,
      withStatsUsd: true,
      isBanned: flag('isBanned'),
      search: read('search'),
      where: {
        country: read('country'),
        isStaff: flag('isStaff'),
        isSelfExcluded: flag('isSelfExcluded'),
        isStreamer: flag('isStreamer'),
        emailVerified: flag('emailVerified'),
        mfaEnabled: flag('mfaEnabled'),
        minVipLevel: numberIn('minVipLevel'),
        kycLevel: numberIn('kycLevel'),
        ipAddress: read('ipAddress'),
        affiliateCode: read('affiliateCode'),
        tag: may(TAGS) ? read('tag') : undefined,
        registeredFrom: moment('registeredFrom'),
        registeredTo: moment('registeredTo'),
        lastLoginFrom: moment('lastLoginFrom'),
        lastLoginTo: moment('lastLoginTo'),
      },
    },
  }),
  keyOf: ({ id }) => id,
  nameOf: ({ username }) => username,
  to: ({ id }) => `/users/${id}`,
  sorted: { by: 'createdAt', order: 'desc' },
  search: { name: 'search', label: 'Name, email or ID' },
  filters: [
    yesNo('isBanned', 'Banned'),
    choice('country', 'Country', useCountries),
    { ...choice('tag', 'Tag', useTagChoices), needs: TAGS },
    yesNo('isSelfExcluded', 'Excluded'),
    count('minVipLevel', 'VIP level from'),
    count('kycLevel', 'Verification level'),
    yesNo('emailVerified', 'Email verified'),
    yesNo('mfaEnabled', 'Two-step verification'),
    text('ipAddress', 'IP address'),
    text('affiliateCode', 'Referral code'),
    yesNo('isStreamer', 'Streamer'),
    { ...yesNo('isStaff', 'Staff'), needs: STAFF },
    period('registeredFrom', 'registeredTo', 'Signed up'),
    period('lastLoginFrom', 'lastLoginTo', 'Last sign-in'),
  ],
  views: [
    { name: 'All users', query: {} },
    { name: 'Players', query: { isStaff: 'false' }, needs: STAFF },
    { name: 'VIP 4 and up', query: { minVipLevel: '4' } },
    { name: 'Excluded', query: { isSelfExcluded: 'true' } },
    { name: 'Banned', query: { isBanned: 'true' } },
    { name: 'Staff', query: { isStaff: 'true' }, needs: STAFF },
  ],
  columns: [
    {
      name: 'username',
      fields: ['username', 'email'],
      head: 'User',
      of: (user) => <Name of={user} />,
      sort: 'username',
      isMain: true,
    },
    { name: 'isBanned', head: 'Status', of: (user) => <StatusOf of={user} />, isMain: true },
    { name: 'notes', head: 'Risk', of: (user) => <Risk of={user} />, needs: NOTES },
    {
      name: 'tags',
      head: 'Tags',
      of: ({ tags = [] }) => tags.map((tag) => <Badge key={tag}>{tag}</Badge>),
      needs: TAGS,
      isExtra: true,
    },
    { name: 'vipLevel', head: 'VIP', of: ({ vipLevel }) => vipLevel, end: true, sort: 'vipLevel' },
    {
      name: 'wagered',
      fields: ['statsUsd.totalWagered'],
      head: 'Wagered',
      of: ({ statsUsd }) => <Usd of={statsUsd?.totalWagered} />,
      end: true,
    },
    {
      name: 'result',
      fields: ['statsUsd.ggr'],
      head: 'Net result',
      of: ({ statsUsd }) => <Usd of={statsUsd?.ggr} />,
      end: true,
    },
    {
      name: 'createdAt',
      head: 'Signed up',
      of: ({ createdAt }) => <When at={createdAt} />,
      sort: 'createdAt',
    },
    {
      name: 'lastLoginAt',
      head: 'Last sign-in',
      of: ({ lastLoginAt }) => <When at={lastLoginAt} />,
      sort: 'lastLoginAt',
    },
    {
      name: 'deposits',
      fields: ['statsUsd.totalDeposits'],
      head: 'Deposited',
      of: ({ statsUsd }) => <Usd of={statsUsd?.totalDeposits} />,
      end: true,
      isExtra: true,
    },
    {
      name: 'withdrawals',
      fields: ['statsUsd.totalWithdraws'],
      head: 'Withdrawn',
      of: ({ statsUsd }) => <Usd of={statsUsd?.totalWithdraws} />,
      end: true,
      isExtra: true,
    },
    {
      name: 'bets',
      fields: ['statsUsd.totalBets'],
      head: 'Bets',
      of: ({ statsUsd }) => (statsUsd ? number(statsUsd.totalBets) : null),
      end: true,
      isExtra: true,
    },
    {
      name: 'emailVerified',
      head: 'Email verified',
      of: ({ emailVerified }) => <YesNo of={emailVerified} />,
      isExtra: true,
    },
    {
      name: 'isStreamer',
      head: 'Streamer',
      of: ({ isStreamer }) => <YesNo of={isStreamer} />,
      isExtra: true,
    },
    { name: 'banReason', head: 'Ban reason', of: ({ banReason }) => banReason, isExtra: true, wide: true },
  ],
  bulk: [tagUser, noteUser, grantBonus, unbanUser, banUser],
  empty: 'Players appear here when they sign up',
  note: 'Net result is what the house has won from the player',
});
