import { Link } from 'wouter';
import type { PromoGrantAdmin } from '../../../../client/call.ts';
import { Amount, When } from '../../../kit/amount.tsx';
import { type FilterField, Filters, ORDER, useFilters } from '../../../kit/filters.ts';
import { TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { List } from '../../../kit/list.tsx';
import { Facts, Page, Status, words } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import type { Columns } from '../../../kit/table.tsx';
import { Export } from '../../export.tsx';
import { UserLink } from '../../user-link.tsx';

export const GRANTS = 'GET /admin/promo/grants';
const CANCEL = 'POST /admin/promo/grants/{grantId}/cancel';
const STATES = ['PENDING', 'ACTIVE', 'COMPLETED', 'FORFEITED', 'EXPIRED', 'LOST', 'CANCELLED'] as const;
const SORTS = ['expiresAt', 'grantedAmount'] as const;

const FILTERS: readonly FilterField[] = [
  { name: 'userId', label: 'User id', type: 'number' },
  { name: 'promoId', label: 'Promotion', type: 'number' },
  { name: 'status', label: 'State', of: STATES },
  { name: 'sortBy', label: 'By', of: SORTS, none: 'time' },
  ORDER,
];

const COLUMNS: Columns<PromoGrantAdmin> = [
  { head: 'Granted', of: ({ createdAt }) => <When at={createdAt} /> },
  { head: 'Player', of: ({ user }) => <UserLink of={user} /> },
  { head: 'Promotion', of: ({ promoId, name }) => <Link href={`/promo/${promoId}`}>{name}</Link> },
  { head: 'State', of: ({ status }) => <Status of={status} /> },
  { head: 'Amount', of: (g) => <Amount of={g.grantedAmount} in={g.currencyId} />, end: true },
  { head: 'Left', of: (g) => <Amount of={g.bonusBalance} in={g.currencyId} />, end: true },
  { head: 'Wagered', of: ({ progressPercent }) => `${progressPercent} %`, end: true },
  { head: 'Until', of: ({ expiresAt }) => <When at={expiresAt} /> },
  { head: 'More', of: (grant) => <More of={grant} /> },
];

export function Grants() {
  return (
    <Page title="Bonus grants">
      <GrantList of={{}} />
    </Page>
  );
}

/** Lists grants. `of` selects a promotion or a player. */
export function GrantList({ of }: { of: { promoId?: string; userId?: number } }) {
  const filters = useFilters({});
  const { text, number, page } = filters;
  const query = {
    userId: number('userId'),
    promoId: text('promoId'),
    status: text<(typeof STATES)[number]>('status'),
    sortBy: text<(typeof SORTS)[number]>('sortBy'),
    sortOrder: text<'asc' | 'desc'>('sortOrder'),
    ...of,
  };
  const list = useRead(GRANTS, { query: { ...query, page, take: 20 } });
  return (
    <>
      <div className="head">
        <Filters of={FILTERS.filter(({ name }) => !(name in of))} in={filters} />
        <Export op={GRANTS} input={{ query }} name="grants" />
      </div>
      <List
        of={list}
        columns={COLUMNS.filter(({ head }) => !(of.userId && head === 'Player'))}
        caption="Bonus grants"
        keyOf={({ id }) => id}
        onPage={filters.toPage}
        empty="No grant is like this."
      />
    </>
  );
}

function More({ of: grant }: { of: PromoGrantAdmin }) {
  const cancel = useAct(CANCEL, { stale: [GRANTS], said: 'Cancelled' });
  const isOpen = grant.status === 'PENDING' || grant.status === 'ACTIVE';
  return (
    <details>
      <summary>facts</summary>
      <Facts
        of={{
          From: words(grant.source),
          Code: grant.code,
          'Granted by': grant.grantedBy && <UserLink of={grant.grantedBy} />,
          'To be wagered': <Amount of={grant.wagerRequired} in={grant.currencyId} />,
          Wagered: <Amount of={grant.wagerDone} in={grant.currencyId} />,
          'Given up': <Amount of={grant.forfeitedAmount} in={grant.currencyId} />,
          'Active since': <When at={grant.activatedAt} />,
          Why: grant.closeReason,
        }}
      />
      {isOpen && (
        <May op={CANCEL}>
          <Form
            act={cancel}
            input={(f) => ({ path: { grantId: grant.id }, body: { reason: f.text('reason') } })}
            submit="Cancel the grant"
            kind="danger"
            confirm="Cancel it? Its bonus money goes back, cash stays."
          >
            <TextArea name="reason" label="Reason; the player reads it" required maxLength={500} rows={2} />
          </Form>
        </May>
      )}
    </details>
  );
}
