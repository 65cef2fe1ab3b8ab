import { useLocation } from 'wouter';
import type { Leaderboard } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { ButtonLink } from '../../../kit/button.tsx';
import { AmountField } from '../../../kit/form/amount-field.tsx';
import { Field, Group, TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Card, Page, Status, words } from '../../../kit/page.tsx';
import { useAct } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { GamesField, ProvidersField } from '../../game-fields.tsx';
import { listPage } from '../../list/list-page.tsx';
import { type Column, choice } from '../../list/spec.ts';
import { ChoicesField } from '../../many-field.tsx';
import { Waiting } from '../../waiting.tsx';
import { CATEGORIES } from '../games/choices.ts';
import { Pool, PrizeField, prizesOf, Stake } from './prizes.tsx';

const LIST = 'GET /admin/leaderboards';
const MAKE = 'POST /admin/leaderboards';
const TYPES = ['DAILY', 'WEEKLY', 'MONTHLY', 'SPECIAL'] as const;
const STATES = ['SCHEDULED', 'ACTIVE', 'FINALIZING', 'AWAITING_PAYOUT', 'FINISHED', 'CANCELLED'] as const;
export const RUNS: readonly Column<Leaderboard>[] = [
  { name: 'name', head: 'Leaderboard', of: ({ name }) => name, isMain: true },
  { name: 'type', head: 'Type', of: ({ type }) => words(type) },
  { name: 'status', head: 'Status', of: ({ status }) => <Status of={status} />, isMain: true },
  { name: 'startDate', head: 'Starts', of: ({ startDate }) => <When at={startDate} />, sort: 'startDate' },
  { name: 'endDate', head: 'Ends', of: ({ endDate }) => <When at={endDate} />, sort: 'endDate' },
  {
    name: 'config',
    fields: ['config.prizes'],
    head: 'Prizes',
    of: ({ config }) => <Pool of={config.prizes} />,
    end: true,
  },
  { name: 'currency', fields: ['config.currencyId'], head: 'Paid in', of: ({ config }) => config.currencyId },
];

const NewButton = () => (
  <May op={MAKE}>
    <ButtonLink to="/leaderboards/new" kind="main" icon="plus">
      New leaderboard
    </ButtonLink>
  </May>
);

export const Leaderboards = listPage({
  list: 'leaderboards',
  title: 'Leaderboards',
  op: LIST,
  file: 'leaderboards',
  Actions: NewButton,
  Above: () => <Waiting of={['leaderboard.special', 'leaderboard.prize']} />,
  input: ({ text }) => ({
    query: {
      type: text<(typeof TYPES)[number]>('type'),
      status: text<(typeof STATES)[number]>('status'),
      sortBy: text<'startDate' | 'endDate' | 'createdAt'>('sortBy'),
      sortOrder: text<'asc' | 'desc'>('sortOrder'),
    },
  }),
  keyOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  to: ({ id }) => `/leaderboards/${id}`,
  filters: [choice('type', 'Type', TYPES), choice('status', 'Status', STATES)],
  views: [
    { name: 'All leaderboards', query: {} },
    { name: 'Active', query: { status: 'ACTIVE' } },
    { name: 'Paying out', query: { status: 'AWAITING_PAYOUT' } },
    { name: 'Finished', query: { status: 'FINISHED' } },
  ],
  columns: RUNS,
  empty: 'No leaderboards yet',
});

/** Creates a leaderboard that does not belong to a schedule. */
export function NewLeaderboard() {
  const [, goTo] = useLocation();
  const make = useAct(MAKE, {
    stale: [LIST],
    said: 'Leaderboard created',
    onDone: ({ id }) => goTo(`/leaderboards/${id}`),
  });
  return (
    <Page title="New leaderboard">
      <Waiting of={['leaderboard.special']} />
      <Card>
        <Form
          act={make}
          input={(f) => ({
            body: {
              name: f.text('name'),
              description: f.text('description'),
              startDate: f.moment('startDate'),
              endDate: f.moment('endDate')!,
              currencyId: f.text('currencyId'),
              minBetUsd: f.optional('minBetUsd'),
              prizes: prizesOf(f),
              eligible: {
                categories: f.list('categories'),
                providerIds: f.list('providerIds').map(Number),
                gameSlugs: f.list('gameSlugs'),
              },
            },
          })}
          submit="Create leaderboard"
          confirm="Create this leaderboard? Its terms can’t be changed later."
          tells={({ body }) => (
            <Stake
              prizes={body.prizes}
              currencyId={body.currencyId}
              of={{
                Starts: body.startDate ? <When at={body.startDate} /> : 'Now',
                Ends: <When at={body.endDate} />,
              }}
            />
          )}
        >
          <Field name="name" label="Name" required maxLength={100} />
          <TextArea name="description" label="Description (shown to players)" maxLength={1000} />
          <Group label="Time and prizes">
            <Field name="startDate" label="Starts" hint="Leave empty to start now" type="datetime-local" />
            <Field name="endDate" label="Ends" type="datetime-local" required />
            <Field name="currencyId" label="Prizes paid in" defaultValue="USDT" required maxLength={16} />
            <AmountField name="minBetUsd" label="Min bet (USD)" defaultValue="0" />
          </Group>
          <PrizeField />
          <Group label="Games that count (empty: all games)">
            <ChoicesField name="categories" label="Categories" choices={CATEGORIES} />
            <ProvidersField name="providerIds" label="Providers" />
            <GamesField name="gameSlugs" label="Games" />
          </Group>
        </Form>
      </Card>
    </Page>
  );
}
