import { useState } from 'react';
import type { AdminTipRow } from '../../../client/call.ts';
import { Amount, Usd, When } from '../../kit/amount.tsx';
import { type FilterField, Filters, ORDER, useFilters } from '../../kit/filters.ts';
import { AmountField } from '../../kit/form/amount-field.tsx';
import { Field, TextArea } from '../../kit/form/field.tsx';
import { Form } from '../../kit/form/form.tsx';
import { List } from '../../kit/list.tsx';
import { Card, Page } from '../../kit/page.tsx';
import { useAct, useRead } from '../../kit/query.ts';
import { May } from '../../kit/session.tsx';
import type { Columns } from '../../kit/table.tsx';
import { Export } from '../export.tsx';
import { UserLink } from '../user-link.tsx';
import { Waiting } from '../waiting.tsx';

const LIST = 'GET /admin/admin-tips';
const BALANCES = 'GET /admin/accounting/balances';

const FILTERS: readonly FilterField[] = [
  { name: 'search', label: 'Username, id or tag' },
  { name: 'senderUserId', label: 'By (user id)', type: 'number' },
  { name: 'recipientUserId', label: 'Player (user id)', type: 'number' },
  { name: 'senderOrRecipientUserId', label: 'Either (user id)', type: 'number' },
  { name: 'sortBy', label: 'By', of: [{ value: 'usdAmount', label: 'amount' }], none: 'time' },
  ORDER,
];

const COLUMNS: Columns<AdminTipRow> = [
  { head: 'At', of: ({ createdAt }) => <When at={createdAt} /> },
  { head: 'What', of: ({ kind }) => (kind === 'TIP' ? '+ given' : '− taken') },
  { head: 'Player', of: ({ recipient }) => <UserLink of={recipient} /> },
  { head: 'Amount', of: (tip) => <Amount of={tip.amount} in={tip.currencyId} />, end: true },
  { head: 'In USD', of: ({ usdAmount }) => <Usd of={usdAmount} />, end: true },
  { head: 'By', of: ({ sender }) => <UserLink of={sender} /> },
  { head: 'Tag', of: ({ tag }) => tag ?? '–' },
  { head: 'Why', of: ({ notes }) => notes, wide: true },
];

/** Money that staff have given to players or taken from them. */
export function Tips() {
  return (
    <Page title="Given and taken by staff">
      <div className="stack">
        <Waiting of={['admin-tip', 'admin-deduction']} />
        <TipList />
        <div className="cards">
          <MoveMoney />
        </div>
      </div>
    </Page>
  );
}

function TipList() {
  const filters = useFilters({});
  const { text, number, page } = filters;
  const query = {
    search: text('search'),
    senderUserId: number('senderUserId'),
    recipientUserId: number('recipientUserId'),
    senderOrRecipientUserId: number('senderOrRecipientUserId'),
    sortBy: text<'usdAmount'>('sortBy'),
    sortOrder: text<'asc' | 'desc'>('sortOrder'),
  };
  const list = useRead(LIST, { query: { ...query, page, take: 50 } });
  return (
    <div>
      <div className="head">
        <Filters of={FILTERS} in={filters} />
        <Export op={LIST} input={{ query }} name="tips" />
      </div>
      <List
        of={list}
        columns={COLUMNS}
        caption="Given and taken by staff"
        keyOf={({ id }) => id}
        onPage={filters.toPage}
        empty="Nothing is like this."
      />
    </div>
  );
}

/**
 * Money that staff gave to one player or took from them. The page number is not in the URL, because the URL contains the filters of the
 * other list on this page.
 */
export function TipsOf({ userId }: { userId: number }) {
  const [page, setPage] = useState(1);
  const list = useRead(LIST, { query: { recipientUserId: userId, page, take: 20 } });
  return (
    <List
      of={list}
      columns={COLUMNS.filter(({ head }) => head !== 'Player')}
      caption="Given and taken by staff"
      keyOf={({ id }) => id}
      onPage={setPage}
      empty="Nothing."
    />
  );
}

/** Lets staff give money to a player or take money from them. `to`: the player, if already selected. */
export function MoveMoney({ to }: { to?: number }) {
  const give = useAct('POST /admin/admin-tips', { stale: [LIST, BALANCES], said: 'Given' });
  const take = useAct('POST /admin/admin-tips/deduct-balance', { stale: [LIST, BALANCES], said: 'Taken' });
  return (
    <May op={give.op}>
      {[
        { act: give, title: 'Give', kind: 'main' as const },
        { act: take, title: 'Take', kind: 'danger' as const },
      ].map(({ act, title, kind }) => (
        <Card key={title} title={`${title} money`}>
          <Form
            act={act}
            input={(f) => ({
              body: {
                recipientUserId: to ?? f.number('recipientUserId'),
                currencyId: f.text('currencyId'),
                amount: f.text('amount'),
                notes: f.text('notes'),
                tag: f.optional('tag'),
              },
            })}
            submit={title}
            kind={kind}
            confirm={`${title} it?`}
            isEmptied
          >
            {to === undefined && (
              <Field name="recipientUserId" label="Player (user id)" type="number" min={1} required />
            )}
            <Field name="currencyId" label="Currency" required defaultValue="USDT" maxLength={16} />
            <AmountField name="amount" label="Amount" required />
            <Field name="tag" label={title === 'Give' ? 'Tag; the player sees it' : 'Tag'} maxLength={50} />
            <TextArea
              name="notes"
              label="Why; the player does not see it"
              required
              maxLength={1000}
              rows={2}
            />
          </Form>
        </Card>
      ))}
    </May>
  );
}
