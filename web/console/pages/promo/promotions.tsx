import { useLocation } from 'wouter';
import type { PromoAdmin } from '../../../../client/call.ts';
import { Amount, When } from '../../../kit/amount.tsx';
import { ButtonLink } from '../../../kit/button.tsx';
import type { Choice } from '../../../kit/form/choice.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Select } from '../../../kit/form/select.tsx';
import { multiplier } from '../../../kit/intl.ts';
import { Card, Page, Status, words } from '../../../kit/page.tsx';
import { useAct } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { listPage } from '../../list/list-page.tsx';
import { choice } from '../../list/spec.ts';
import { Terms, termsOf } from './terms.tsx';

const LIST = 'GET /admin/promo';
const MAKE = 'POST /admin/promo';
const STATES = ['DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED'] as const;
const TYPES = ['WELCOME', 'DEPOSIT', 'CODE', 'MANUAL'] as const;
const TYPE_CHOICES: readonly Choice[] = [
  { value: 'WELCOME', label: 'Welcome: offered to new players' },
  { value: 'DEPOSIT', label: 'Deposit: offered to all players' },
  { value: 'CODE', label: 'Code: for players with a code' },
  { value: 'MANUAL', label: 'Manual: granted by staff' },
];
/** Describes a promotion's reward in one line. */
export function Reward({ of: reward }: { of: PromoAdmin['reward'] }) {
  const { kind, currencyId, amount, percent, maxAmount, freeSpins, gameSlug } = reward;
  if (kind === 'FREE_SPINS') return `${freeSpins} free spins on ${gameSlug}`;
  const what = words(kind).toLowerCase();
  if (amount)
    return (
      <>
        <Amount of={amount} in={currencyId} /> {what}
      </>
    );
  // The platform's built-in promotion has no fixed amount. Each grant has its own amount.
  if (percent === null || percent === undefined) return `${what}, amount per grant`;
  return (
    <>
      {percent}% {what}, up to <Amount of={maxAmount} in={currencyId} />
    </>
  );
}

const NewButton = () => (
  <May op={MAKE}>
    <ButtonLink to="/promo/new" kind="main" icon="plus">
      New promotion
    </ButtonLink>
  </May>
);

export const Promotions = listPage({
  list: 'promotions',
  title: 'Promotions',
  op: LIST,
  file: 'promotions',
  take: 20,
  Actions: NewButton,
  input: ({ text }) => ({
    query: {
      search: text('search'),
      status: text<(typeof STATES)[number]>('status'),
      type: text<(typeof TYPES)[number]>('type'),
      sortBy: text<'createdAt' | 'updatedAt' | 'startAt' | 'endAt' | 'name'>('sortBy'),
      sortOrder: text<'asc' | 'desc'>('sortOrder'),
    },
  }),
  keyOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  to: ({ id }) => `/promo/${id}`,
  sorted: { by: 'createdAt', order: 'desc' },
  search: { name: 'search', label: 'Name, ID or code' },
  filters: [choice('type', 'Type', TYPES), choice('status', 'Status', STATES)],
  views: [
    { name: 'All promotions', query: {} },
    { name: 'Active', query: { status: 'ACTIVE' } },
    { name: 'Drafts', query: { status: 'DRAFT' } },
    { name: 'Paused', query: { status: 'PAUSED' } },
    { name: 'Archived', query: { status: 'ARCHIVED' } },
  ],
  columns: [
    { name: 'name', head: 'Promotion', of: ({ name }) => name, sort: 'name', isMain: true },
    { name: 'type', head: 'Type', of: ({ type }) => words(type) },
    { name: 'status', head: 'Status', of: ({ status }) => <Status of={status} />, isMain: true },
    {
      name: 'reward',
      fields: [
        'reward.kind',
        'reward.currencyId',
        'reward.amount',
        'reward.percent',
        'reward.maxAmount',
        'reward.freeSpins',
      ],
      head: 'Reward',
      of: ({ reward }) => <Reward of={reward} />,
      end: true,
    },
    { name: 'wagerMultiplier', head: 'Wagering', of: (p) => multiplier(p.wagerMultiplier), end: true },
    { name: 'startAt', head: 'Starts', of: ({ startAt }) => <When at={startAt} />, sort: 'startAt' },
    { name: 'endAt', head: 'Ends', of: ({ endAt }) => <When at={endAt} />, sort: 'endAt' },
    { name: 'createdAt', head: 'Created', of: ({ createdAt }) => <When at={createdAt} />, sort: 'createdAt' },
    {
      name: 'updatedAt',
      head: 'Updated',
      of: ({ updatedAt }) => <When at={updatedAt} />,
      sort: 'updatedAt',
      isExtra: true,
    },
  ],
  empty: 'No promotions yet',
});

/** Creates a promotion as a draft. Players do not see it until staff start it. */
export function NewPromotion() {
  const [, goTo] = useLocation();
  const make = useAct(MAKE, {
    stale: [LIST],
    said: 'Draft created',
    onDone: ({ id }) => goTo(`/promo/${id}`),
  });
  return (
    <Page title="New promotion">
      <Card>
        <p className="dim">Creates a draft. No player gets it until you start it.</p>
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
          submit="Create promotion"
        >
          <Field name="name" label="Name" required maxLength={100} />
          <Select name="type" label="Type" of={TYPE_CHOICES} defaultValue="MANUAL" />
          <Terms />
        </Form>
      </Card>
    </Page>
  );
}
