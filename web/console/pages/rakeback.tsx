import type { RakebackBalance } from '../../../client/call.ts';
import { Amount, Usd, When } from '../../kit/amount.tsx';
import { type FilterField, Filters, useFilters } from '../../kit/filters.ts';
import { Card, Facts, Loaded, Page } from '../../kit/page.tsx';
import { useRead } from '../../kit/query.ts';
import { type Columns, Table } from '../../kit/table.tsx';
import { UserLink } from '../user-link.tsx';

const LIST = 'POST /admin/rakeback/find-many';
const CLAIMABLE = 'GET /admin/rakeback/find-one-claimable-usd';

const FILTERS: readonly FilterField[] = [
  { name: 'userIds', label: 'User ids, apart by commas' },
  { name: 'currencyId', label: 'Currency' },
];

const COLUMNS: Columns<RakebackBalance> = [
  { head: 'Player', of: ({ userId }) => <UserLink of={{ id: userId }} /> },
  { head: 'Currency', of: ({ currencyId }) => currencyId },
  { head: 'At once', of: ({ instantClaimable }) => <Amount of={instantClaimable} />, end: true },
  { head: 'Daily', of: ({ dailyClaimable }) => <Amount of={dailyClaimable} />, end: true },
  { head: 'Growing, daily', of: ({ dailyAccumulated }) => <Amount of={dailyAccumulated} />, end: true },
  { head: 'Weekly', of: ({ weeklyClaimable }) => <Amount of={weeklyClaimable} />, end: true },
  { head: 'Growing, weekly', of: ({ weeklyAccumulated }) => <Amount of={weeklyAccumulated} />, end: true },
  { head: 'Monthly', of: ({ monthlyClaimable }) => <Amount of={monthlyClaimable} />, end: true },
  { head: 'Growing, monthly', of: ({ monthlyAccumulated }) => <Amount of={monthlyAccumulated} />, end: true },
  { head: 'Claimed: at once', of: ({ instantTotalClaimed: of }) => <Amount of={of} />, end: true },
  { head: 'Claimed: daily', of: ({ dailyTotalClaimed: of }) => <Amount of={of} />, end: true },
  { head: 'Claimed: weekly', of: ({ weeklyTotalClaimed: of }) => <Amount of={of} />, end: true },
  { head: 'Claimed: monthly', of: ({ monthlyTotalClaimed: of }) => <Amount of={of} />, end: true },
  { head: 'Changed', of: ({ updatedAt }) => <When at={updatedAt} /> },
];

/** Players' rakeback: claimable, accruing in the current periods, and already claimed. */
export function Rakeback() {
  const filters = useFilters({});
  const { text } = filters;
  const ids = text('userIds')
    ?.split(/[\s,]+/)
    .filter(Boolean)
    .map(Number);
  const list = useRead(LIST, { body: { where: { userIds: ids, currencyId: text('currencyId') } } });
  return (
    <Page title="Rakeback" filters={<Filters of={FILTERS} in={filters} />}>
      <p className="dim">
        The 500 that changed last. What is negative is owed back: bets were rolled back after their rakeback
        was claimed.
      </p>
      <div className="stack">
        {ids?.length === 1 && (
          <Card>
            <ClaimableUsd userId={ids[0]!} />
          </Card>
        )}
        <Loaded of={list}>{(all) => <RakebackTable of={all} />}</Loaded>
      </div>
    </Page>
  );
}

const RakebackTable = ({ of, isOfOne = false }: { of: readonly RakebackBalance[]; isOfOne?: boolean }) => (
  <Table
    rows={of}
    columns={isOfOne ? COLUMNS.slice(1) : COLUMNS}
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
            'Can claim at once': <Usd of={instant} />,
            'Of days': <Usd of={daily} />,
            'Of weeks': <Usd of={weekly} />,
            'Of months': <Usd of={monthly} />,
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
      <Loaded of={list}>{(all) => <RakebackTable of={all} isOfOne />}</Loaded>
    </div>
  );
}
