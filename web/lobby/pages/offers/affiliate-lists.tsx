import { useState } from 'react';
import type { AffiliateClaim, AffiliateUserRow } from '../../../../client/call.ts';
import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { Badge } from '../../../kit/figures.tsx';
import { List } from '../../../kit/list.tsx';
import { Empty } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import type { Columns } from '../../../kit/table.tsx';
import { words } from '../../words.ts';
import { Section } from './parts.tsx';

const TAKE = 10;

/** The players whom the affiliate has referred, and the commission from each. */
export function Referred() {
  const { affiliate } = words.club;
  const [page, setPage] = useState(1);
  const users = useRead('GET /affiliate/users', { query: { page, take: TAKE } });
  const columns: Columns<AffiliateUserRow> = [
    { head: affiliate.player, of: ({ user }) => <span translate="no">{user.username}</span>, isMain: true },
    { head: affiliate.code, of: ({ code }) => code ?? '–' },
    { head: affiliate.since, of: ({ createdAt }) => <When at={createdAt} /> },
    {
      head: affiliate.activity,
      of: ({ isActive }) =>
        isActive ? <Badge tone="good">{affiliate.isActive}</Badge> : <Badge>{affiliate.isInactive}</Badge>,
    },
    { head: affiliate.theyWagered, of: (row) => <Usd of={row.wageredUsdAmount} />, end: true },
    { head: affiliate.earned, of: (row) => <Usd of={row.earnedUsdAmount} />, end: true, isMain: true },
  ];
  return (
    <Section title={affiliate.users} icon="users">
      <List
        of={users}
        columns={columns}
        caption={affiliate.users}
        empty={<Empty title={affiliate.noUsers}>{affiliate.noUsersHint}</Empty>}
        onPage={setPage}
      />
    </Section>
  );
}

/** The commission that the affiliate has claimed. */
export function Claims() {
  const { affiliate } = words.club;
  const [page, setPage] = useState(1);
  const claims = useRead('GET /affiliate/claims', { query: { page, take: TAKE } });
  const columns: Columns<AffiliateClaim> = [
    { head: affiliate.at, of: ({ createdAt }) => <When at={createdAt} />, isMain: true },
    {
      head: affiliate.amount,
      of: (row) => <Amount of={row.amount} in={row.currencyId} />,
      end: true,
      isMain: true,
    },
    { head: affiliate.worth, of: ({ usdAmount }) => <Usd of={usdAmount} />, end: true },
  ];
  return (
    <Section title={affiliate.claims} icon="history">
      <List
        of={claims}
        columns={columns}
        caption={affiliate.claims}
        keyOf={({ id }) => id}
        empty={<Empty title={affiliate.noClaims}>{affiliate.noClaimsHint}</Empty>}
        onPage={setPage}
      />
    </Section>
  );
}
