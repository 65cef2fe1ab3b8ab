import { useState } from 'react';
import type { AffiliateClaim, AffiliateUserRow } from '../../../../client/call.ts';
import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { Card } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { type Columns, List } from '../../../kit/table.tsx';
import { words } from '../../words.ts';

const TAKE = 20;

/** The players whom the affiliate has referred, and the commission from each. */
export function Referred() {
  const { affiliate } = words.offers;
  const [page, setPage] = useState(1);
  const users = useRead('GET /affiliate/users', { query: { page, take: TAKE } });
  const columns: Columns<AffiliateUserRow> = [
    { head: affiliate.player, of: ({ user }) => user.username },
    { head: affiliate.code, of: ({ code }) => code ?? '–' },
    { head: affiliate.since, of: ({ createdAt }) => <When at={createdAt} /> },
    { head: affiliate.isActive, of: ({ isActive }) => (isActive ? `✓ ${words.kit.yes}` : words.kit.no) },
    { head: affiliate.wagered, of: (row) => <Usd of={row.wageredUsdAmount} />, end: true },
    { head: affiliate.earned, of: (row) => <Usd of={row.earnedUsdAmount} />, end: true },
  ];
  return (
    <Card title={affiliate.users}>
      <List
        of={users}
        columns={columns}
        caption={affiliate.users}
        empty={affiliate.noUsers}
        onPage={setPage}
      />
    </Card>
  );
}

export function Claims() {
  const { affiliate } = words.offers;
  const [page, setPage] = useState(1);
  const claims = useRead('GET /affiliate/claims', { query: { page, take: TAKE } });
  const columns: Columns<AffiliateClaim> = [
    { head: affiliate.at, of: ({ createdAt }) => <When at={createdAt} /> },
    { head: affiliate.amount, of: (row) => <Amount of={row.amount} in={row.currencyId} />, end: true },
    { head: affiliate.worth, of: ({ usdAmount }) => <Usd of={usdAmount} />, end: true },
  ];
  return (
    <Card title={affiliate.claims}>
      <List
        of={claims}
        columns={columns}
        caption={affiliate.claims}
        keyOf={({ id }) => id}
        empty={affiliate.noClaims}
        onPage={setPage}
      />
    </Card>
  );
}
