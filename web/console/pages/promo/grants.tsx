import { Link } from 'wouter';
import type { PromoGrantAdmin } from '../../../../client/call.ts';
import { Amount, When } from '../../../kit/amount.tsx';
import { TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { money, percent } from '../../../kit/intl.ts';
import { Facts, Status, words } from '../../../kit/page.tsx';
import { send, useAct } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { listPage, listPart } from '../../list/list-page.tsx';
import { choice, type ListSpec, player } from '../../list/spec.ts';
import { MoneyFacts } from '../../money-facts.tsx';
import { UserLink } from '../../user-link.tsx';
import { useActivePromotions } from '../choices.ts';
import { GRANTS, STALE } from '../user/shared.ts';

const CANCEL = 'POST /admin/promo/grants/{grantId}/cancel';
const STATES = ['PENDING', 'ACTIVE', 'COMPLETED', 'FORFEITED', 'EXPIRED', 'LOST', 'CANCELLED'] as const;
type Of = { promoId?: string; userId?: number };

const spec: ListSpec<typeof GRANTS, Of> = {
  list: 'grants',
  title: 'Bonus grants',
  op: GRANTS,
  file: 'grants',
  take: 20,
  input: ({ text, number }, of) => ({
    query: {
      userId: number('userId'),
      promoId: text('promoId'),
      status: text<(typeof STATES)[number]>('status'),
      sortBy: text<'createdAt' | 'expiresAt' | 'grantedAmount'>('sortBy'),
      sortOrder: text<'asc' | 'desc'>('sortOrder'),
      ...of,
    },
  }),
  keyOf: ({ id }) => id,
  nameOf: (g) => `${g.user.username}: ${g.name}, ${money(g.bonusBalance, g.currencyId)}`,
  without: ({ promoId, userId }) => [
    ...(promoId === undefined ? [] : ['promoId', 'name']),
    ...(userId === undefined ? [] : ['userId', 'user']),
  ],
  sorted: { by: 'createdAt', order: 'desc' },
  filters: [
    player(),
    choice('status', 'Status', STATES),
    choice('promoId', 'Promotion', useActivePromotions),
  ],
  views: [
    { name: 'All grants', query: {} },
    { name: 'Active', query: { status: 'ACTIVE' } },
    { name: 'Pending', query: { status: 'PENDING' } },
    { name: 'Completed', query: { status: 'COMPLETED' } },
  ],
  columns: [
    { name: 'createdAt', head: 'Granted', of: ({ createdAt }) => <When at={createdAt} />, sort: 'createdAt' },
    {
      name: 'user',
      fields: ['userId', 'user.username'],
      head: 'Player',
      of: ({ user }) => <UserLink of={user} />,
      isMain: true,
    },
    {
      name: 'name',
      head: 'Promotion',
      of: ({ promoId, name }) => <Link href={`/promo/${promoId}`}>{name}</Link>,
    },
    { name: 'status', head: 'Status', of: ({ status }) => <Status of={status} />, isMain: true },
    {
      name: 'grantedAmount',
      fields: ['grantedAmount', 'currencyId'],
      head: 'Amount',
      of: (g) => <Amount of={g.grantedAmount} in={g.currencyId} />,
      end: true,
      sort: 'grantedAmount',
    },
    {
      name: 'bonusBalance',
      head: 'Left',
      of: (g) => <Amount of={g.bonusBalance} in={g.currencyId} />,
      end: true,
    },
    { name: 'progressPercent', head: 'Wagered', of: (g) => percent(g.progressPercent), end: true },
    { name: 'expiresAt', head: 'Expires', of: ({ expiresAt }) => <When at={expiresAt} />, sort: 'expiresAt' },
    { name: 'more', fields: [], head: 'Details', of: (grant) => <More of={grant} /> },
  ],
  bulk: [
    {
      label: 'Cancel…',
      icon: 'x',
      op: CANCEL,
      isDangerous: true,
      about: 'The bonus money is lost, and cash is kept.',
      Fields: () => <Reason />,
      stale: STALE,
      run: ({ id }, filled) =>
        send(CANCEL, { path: { grantId: id }, body: { reason: filled.text('reason') } }),
    },
  ],
  empty: 'No bonus grants yet',
  art: 'no-money',
};

const Reason = () => (
  <TextArea name="reason" label="Reason (shown to player)" required maxLength={500} rows={2} />
);

export const Grants = listPage({ ...spec, of: {} });

/** Lists grants. `of` selects a promotion or a player. */
export const GrantList = listPart(spec);

function More({ of: grant }: { of: PromoGrantAdmin }) {
  const cancel = useAct(CANCEL, { stale: [GRANTS, ...STALE], said: 'Grant cancelled' });
  const isOpen = grant.status === 'PENDING' || grant.status === 'ACTIVE';
  return (
    <details>
      <summary>Details</summary>
      <Facts
        of={{
          Source: words(grant.source),
          Code: grant.code,
          'Granted by': grant.grantedBy && <UserLink of={grant.grantedBy} />,
          'Left to wager': <Amount of={grant.wagerRequired} in={grant.currencyId} />,
          Wagered: <Amount of={grant.wagerDone} in={grant.currencyId} />,
          Forfeited: <Amount of={grant.forfeitedAmount} in={grant.currencyId} />,
          'Active since': <When at={grant.activatedAt} />,
          'Close reason': grant.closeReason,
        }}
      />
      {isOpen && (
        <May op={CANCEL}>
          <Form
            act={cancel}
            input={(f) => ({ path: { grantId: grant.id }, body: { reason: f.text('reason') } })}
            submit="Cancel grant"
            kind="danger"
            confirm="Cancel this grant? The bonus money is lost, and cash is kept."
            tells={() => (
              <MoneyFacts
                player={grant.user.username}
                label="Bonus money"
                amount={grant.bonusBalance}
                currencyId={grant.currencyId}
              />
            )}
          >
            <Reason />
          </Form>
        </May>
      )}
    </details>
  );
}
