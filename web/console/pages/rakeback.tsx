import type { RakebackBalance } from '../../../client/call.ts';
import { Amount, Usd, When } from '../../kit/amount.tsx';
import { useFilters } from '../../kit/filters.ts';
import { Card, Facts, Loaded } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';
import { Table } from '../../kit/table.tsx';
import { listPage } from '../list/list-page.tsx';
import { type Column, choice, player } from '../list/spec.ts';
import { UserLink } from '../user-link.tsx';
import { useCurrencies } from './choices.ts';

const LIST = 'POST /admin/rakeback/find-many';
const CLAIMABLE = 'GET /admin/rakeback/find-one-claimable-usd';

const amount = (
  name: Exclude<keyof RakebackBalance, 'user'>,
  head: string,
  isExtra = false,
): Column<RakebackBalance> => ({
  name,
  head,
  of: (row) => <Amount of={String(row[name])} />,
  end: true,
  isExtra,
});

const COLUMNS: readonly Column<RakebackBalance>[] = [
  {
    name: 'userId',
    fields: ['userId', 'user.username'],
    head: 'Player',
    of: ({ userId, user }) => <UserLink of={user ?? { id: userId }} />,
    isMain: true,
  },
  { name: 'currencyId', head: 'Currency', of: ({ currencyId }) => currencyId },
  { ...amount('instantClaimable', 'Instant'), isMain: true },
  amount('dailyClaimable', 'Daily'),
  amount('dailyAccumulated', 'Accruing daily'),
  amount('weeklyClaimable', 'Weekly'),
  amount('weeklyAccumulated', 'Accruing weekly'),
  amount('monthlyClaimable', 'Monthly'),
  amount('monthlyAccumulated', 'Accruing monthly'),
  amount('instantTotalClaimed', 'Claimed instantly', true),
  amount('dailyTotalClaimed', 'Claimed daily', true),
  amount('weeklyTotalClaimed', 'Claimed weekly', true),
  amount('monthlyTotalClaimed', 'Claimed monthly', true),
  { name: 'updatedAt', head: 'Updated', of: ({ updatedAt }) => <When at={updatedAt} /> },
];

/** The claimable USD value of the player whom the filter names. */
function ClaimableOfPlayer() {
  const userId = useFilters({}).number('userId');
  return userId === undefined ? null : (
    <Card>
      <ClaimableUsd userId={userId} />
    </Card>
  );
}

/** Players' rakeback: claimable, accruing in the current periods, and already claimed. */
export const Rakeback = listPage({
  list: 'rakeback',
  title: 'Rakeback',
  about: 'The 500 balances that changed last. Negative amounts are owed back after a bet was rolled back.',
  op: LIST,
  Above: ClaimableOfPlayer,
  input: ({ text, number }) => ({
    body: { where: { userId: number('userId'), currencyId: text('currencyId') } },
  }),
  isWhole: true,
  keyOf: ({ userId, currencyId }) => `${userId}-${currencyId}`,
  filters: [player(), choice('currencyId', 'Currency', useCurrencies)],
  columns: COLUMNS,
  empty: 'Rakeback appears here when players bet',
  art: 'no-money',
});

const RakebackTable = ({ of }: { of: readonly RakebackBalance[] }) => (
  <Table
    rows={of}
    columns={COLUMNS.slice(1)}
    caption="Rakeback"
    keyOf={({ userId, currencyId }) => `${userId}-${currencyId}`}
    empty="No rakeback yet."
  />
);

function ClaimableUsd({ userId }: { userId: number }) {
  const claimable = useRead(CLAIMABLE, { query: { userId } });
  return (
    <Loaded of={claimable}>
      {({ instant, daily, weekly, monthly }) => (
        <Facts
          of={{
            'Claimable instantly': <Usd of={instant} />,
            'Claimable daily': <Usd of={daily} />,
            'Claimable weekly': <Usd of={weekly} />,
            'Claimable monthly': <Usd of={monthly} />,
          }}
        />
      )}
    </Loaded>
  );
}

/** The rakeback of one player. */
export function RakebackOf({ userId }: { userId: number }) {
  const list = useRead(LIST, { body: { where: { userId } } });
  return (
    <div className="stack">
      <ClaimableUsd userId={userId} />
      <Loaded of={list}>{(all) => <RakebackTable of={all} />}</Loaded>
    </div>
  );
}
