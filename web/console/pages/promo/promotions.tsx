import { Link, useLocation } from 'wouter';
import type { PromoAdmin } from '../../../../client/call.ts';
import { Amount, When } from '../../../kit/amount.tsx';
import { type FilterField, Filters, ORDER, useFilters } from '../../../kit/filters.ts';
import type { Choice } from '../../../kit/form/choice.tsx';
import { Select } from '../../../kit/form/select.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { List } from '../../../kit/list.tsx';
import { Card, Page, Status, words } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import type { Columns } from '../../../kit/table.tsx';
import { Export } from '../../export.tsx';
import { Terms, termsOf } from './terms.tsx';

const LIST = 'GET /admin/promo';
const MAKE = 'POST /admin/promo';
const STATES = ['DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED'] as const;
const TYPES = ['WELCOME', 'DEPOSIT', 'CODE', 'MANUAL'] as const;
const TYPE_CHOICES: readonly Choice[] = [
  { value: 'WELCOME', label: 'Welcome: offered to new players' },
  { value: 'DEPOSIT', label: 'Deposit: offered to everybody' },
  { value: 'CODE', label: 'Code: for those who know one' },
  { value: 'MANUAL', label: 'Manual: granted by staff' },
];
const SORTS = ['updatedAt', 'startAt', 'endAt', 'name'] as const;

const FILTERS: readonly FilterField[] = [
  { name: 'search', label: 'Name, id or code' },
  { name: 'status', label: 'State', of: STATES },
  { name: 'type', label: 'Type', of: TYPES },
  { name: 'sortBy', label: 'By', of: SORTS, none: 'time' },
  ORDER,
];

const COLUMNS: Columns<PromoAdmin> = [
  { head: 'Name', of: ({ name }) => name },
  { head: 'Type', of: ({ type }) => words(type) },
  { head: 'State', of: ({ status }) => <Status of={status} /> },
  { head: 'Reward', of: ({ reward }) => <Reward of={reward} />, end: true },
  { head: 'Wager', of: ({ wagerMultiplier }) => `${wagerMultiplier} ×`, end: true },
  { head: 'From', of: ({ startAt }) => <When at={startAt} /> },
  { head: 'To', of: ({ endAt }) => <When at={endAt} /> },
  { head: 'Made', of: ({ createdAt }) => <When at={createdAt} /> },
];

/** Describes a promotion's reward in one line. */
export function Reward({ of: reward }: { of: PromoAdmin['reward'] }) {
  const { kind, currencyId, amount, percent, maxAmount, freeSpins, gameSlug } = reward;
  if (kind === 'FREE_SPINS') return `${freeSpins} free spins of ${gameSlug}`;
  const what = words(kind).toLowerCase();
  if (amount)
    return (
      <>
        <Amount of={amount} in={currencyId} /> {what}
      </>
    );
  // The platform's built-in promotion has no fixed amount. Each grant has its own amount.
  if (percent === null || percent === undefined) return `${what}, as each grant says`;
  return (
    <>
      {percent} % {what}, up to <Amount of={maxAmount} in={currencyId} />
    </>
  );
}

export function Promotions() {
  const filters = useFilters({});
  const { text, page } = filters;
  const query = {
    search: text('search'),
    status: text<(typeof STATES)[number]>('status'),
    type: text<(typeof TYPES)[number]>('type'),
    sortBy: text<(typeof SORTS)[number]>('sortBy'),
    sortOrder: text<'asc' | 'desc'>('sortOrder'),
  };
  const list = useRead(LIST, { query: { ...query, page, take: 20 } });
  return (
    <Page
      title="Promotions"
      filters={<Filters of={FILTERS} in={filters} />}
      actions={
        <>
          <May op={MAKE}>
            <Link href="/promo/new">New promotion</Link>
          </May>
          <Export op={LIST} input={{ query }} name="promotions" />
        </>
      }
    >
      <List
        of={list}
        columns={COLUMNS}
        caption="Promotions"
        keyOf={({ id }) => id}
        to={({ id }) => `/promo/${id}`}
        onPage={filters.toPage}
        empty="No promotion is like this."
      />
    </Page>
  );
}

/** Creates a promotion as a draft. Players do not see it until staff start it. */
export function NewPromotion() {
  const [, goTo] = useLocation();
  const make = useAct(MAKE, {
    stale: [LIST],
    said: 'Set up as a draft',
    onDone: ({ id }) => goTo(`/promo/${id}`),
  });
  return (
    <Page title="New promotion">
      <Card>
        <p className="dim">It begins as a draft. Nobody is granted it before it is started.</p>
        <Form
          act={make}
          input={(f) => ({
            body: {
              ...termsOf(f),
              name: f.text('name'),
              description: f.text('description'),
              type: f.text('type') as (typeof TYPES)[number],
            },
          })}
          submit="Set up"
        >
          <Field name="name" label="Name" required maxLength={100} />
          <Select name="type" label="Type" of={TYPE_CHOICES} defaultValue="MANUAL" />
          <Terms />
        </Form>
      </Card>
    </Page>
  );
}
