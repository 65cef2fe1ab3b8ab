import { useState } from 'react';
import type { AdminTipRow } from '../../../client/call.ts';
import { Amount, Usd, When } from '../../kit/amount.tsx';
import { AmountField } from '../../kit/form/amount-field.tsx';
import { Field, TextArea } from '../../kit/form/field.tsx';
import { Form } from '../../kit/form/form.tsx';
import { List } from '../../kit/list.tsx';
import { useAct, useRead } from '../../kit/query.ts';
import { FormButton } from '../form-button.tsx';
import { listPage } from '../list/list-page.tsx';
import { type Column, player } from '../list/spec.ts';
import { MoneyFacts } from '../money-facts.tsx';
import { UserLink } from '../user-link.tsx';
import { Waiting } from '../waiting.tsx';
import { MONEY, STALE } from './user/shared.ts';

const LIST = 'GET /admin/admin-tips';

const COLUMNS: readonly Column<AdminTipRow>[] = [
  { name: 'createdAt', head: 'Time', of: ({ createdAt }) => <When at={createdAt} />, sort: 'createdAt' },
  { name: 'kind', head: 'Type', of: ({ kind }) => (kind === 'TIP' ? '+ Given' : '− Taken'), isMain: true },
  {
    name: 'recipient',
    fields: ['recipientUserId', 'recipient.username'],
    head: 'Player',
    of: ({ recipient }) => <UserLink of={recipient} />,
  },
  {
    name: 'amount',
    fields: ['amount', 'currencyId'],
    head: 'Amount',
    of: (tip) => <Amount of={tip.amount} in={tip.currencyId} />,
    end: true,
    isMain: true,
  },
  {
    name: 'usdAmount',
    head: 'Value',
    of: ({ usdAmount }) => <Usd of={usdAmount} />,
    end: true,
    sort: 'usdAmount',
  },
  {
    name: 'sender',
    fields: ['senderUserId', 'sender.username'],
    head: 'Staff member',
    of: ({ sender }) => <UserLink of={sender} />,
  },
  { name: 'tag', head: 'Tag', of: ({ tag }) => tag ?? '–' },
  { name: 'notes', head: 'Reason', of: ({ notes }) => notes, wide: true },
];

/** Money that staff have given to players or taken from them. */
export const Tips = listPage({
  list: 'tips',
  title: 'Adjustments',
  about: 'Money that staff gave to players or took from them',
  op: LIST,
  file: 'adjustments',
  Actions: MoveMoney,
  Above: () => <Waiting of={['admin-tip', 'admin-deduction']} />,
  input: ({ text, number }) => ({
    query: {
      search: text('search'),
      senderUserId: number('senderUserId'),
      recipientUserId: number('recipientUserId'),
      sortBy: text<'createdAt' | 'usdAmount'>('sortBy'),
      sortOrder: text<'asc' | 'desc'>('sortOrder'),
    },
  }),
  keyOf: ({ id }) => id,
  sorted: { by: 'createdAt', order: 'desc' },
  search: { name: 'search', label: 'Username, ID or tag' },
  filters: [player('recipientUserId'), player('senderUserId', 'Staff member')],
  columns: COLUMNS,
  empty: 'No adjustments yet',
});

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
      columns={COLUMNS.filter(({ name }) => name !== 'recipient')}
      caption="Adjustments"
      keyOf={({ id }) => id}
      onPage={setPage}
      empty="No adjustments yet"
    />
  );
}

const DIRECTIONS = {
  give: {
    op: 'POST /admin/admin-tips',
    label: 'Give money',
    question: 'Give this money?',
    said: 'Money given',
    kind: 'main',
    tag: 'Tag (shown to player)',
  },
  take: {
    op: 'POST /admin/admin-tips/deduct-balance',
    label: 'Take money',
    question: 'Take this money?',
    said: 'Money taken',
    kind: 'danger',
    tag: 'Tag',
  },
} as const;
type Direction = keyof typeof DIRECTIONS;

/** Lets staff give money to a player or take money from them. `to`: the player, if already selected. */
export function MoveMoney({ to }: { to?: number }) {
  return (Object.keys(DIRECTIONS) as Direction[]).map((direction) => (
    <FormButton
      key={direction}
      op={DIRECTIONS[direction].op}
      label={`${DIRECTIONS[direction].label}…`}
      title={DIRECTIONS[direction].label}
      size={to === undefined ? undefined : 'sm'}
    >
      {(close) => <MoveForm direction={direction} to={to} onDone={close} />}
    </FormButton>
  ));
}

type MoveProps = { direction: Direction; to: number | undefined; onDone: () => void };

function MoveForm({ direction, to, onDone }: MoveProps) {
  const { op, label, question, said, kind, tag } = DIRECTIONS[direction];
  const move = useAct(op, { stale: [LIST, ...STALE, ...MONEY], said, onDone });
  return (
    <Form
      act={move}
      input={(f) => ({
        body: {
          recipientUserId: to ?? f.number('recipientUserId'),
          currencyId: f.text('currencyId'),
          amount: f.text('amount'),
          notes: f.text('notes'),
          tag: f.optional('tag'),
        },
      })}
      submit={label}
      kind={kind}
      confirm={question}
      tells={({ body }) => (
        <MoneyFacts
          player={body.recipientUserId}
          amount={body.amount}
          currencyId={body.currencyId}
          of={{ Reason: body.notes }}
        />
      )}
    >
      {to === undefined && (
        <Field name="recipientUserId" label="Player (user ID)" type="number" min={1} required />
      )}
      <Field name="currencyId" label="Currency" required defaultValue="USDT" maxLength={16} />
      <AmountField name="amount" label="Amount" required />
      <Field name="tag" label={tag} maxLength={50} />
      <TextArea name="notes" label="Reason (not shown to player)" required maxLength={1000} rows={2} />
    </Form>
  );
}
