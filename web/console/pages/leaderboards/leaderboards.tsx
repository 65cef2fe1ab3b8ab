import { useLocation } from 'wouter';
import type { Leaderboard } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { type FilterField, Filters, ORDER, useFilters } from '../../../kit/filters.ts';
import { AmountField } from '../../../kit/form/amount-field.tsx';
import { Field, Group, TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { List } from '../../../kit/list.tsx';
import { Card, Page, Status, words } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import type { Columns } from '../../../kit/table.tsx';
import { Tabs } from '../../../kit/tabs.tsx';
import { Export } from '../../export.tsx';
import { Waiting } from '../../waiting.tsx';
import { Pool, PrizeField, prizesOf } from './prizes.tsx';

const LIST = 'GET /admin/leaderboards';
const TYPES = ['DAILY', 'WEEKLY', 'MONTHLY', 'SPECIAL'] as const;
const STATES = ['SCHEDULED', 'ACTIVE', 'FINALIZING', 'AWAITING_PAYOUT', 'FINISHED', 'CANCELLED'] as const;
const SORTS = ['startDate', 'endDate'] as const;

const FILTERS: readonly FilterField[] = [
  { name: 'type', label: 'Type', of: TYPES },
  { name: 'status', label: 'State', of: STATES },
  { name: 'sortBy', label: 'By', of: SORTS, none: 'time' },
  ORDER,
];

export const RUNS: Columns<Leaderboard> = [
  { head: 'Leaderboard', of: ({ name }) => name },
  { head: 'Type', of: ({ type }) => words(type) },
  { head: 'State', of: ({ status }) => <Status of={status} /> },
  { head: 'Begins', of: ({ startDate }) => <When at={startDate} /> },
  { head: 'Ends', of: ({ endDate }) => <When at={endDate} /> },
  { head: 'Prizes', of: ({ config }) => <Pool of={config.prizes} />, end: true },
  { head: 'In', of: ({ config }) => config.currencyId },
];

export const LeaderboardTabs = () => (
  <Tabs
    label="Leaderboards"
    of={{
      Leaderboards: '/leaderboards',
      Schedules: '/leaderboards/schedules',
      'A special one': '/leaderboards/new',
    }}
  />
);

export function Leaderboards() {
  const filters = useFilters({});
  const { text, page } = filters;
  const query = {
    type: text<(typeof TYPES)[number]>('type'),
    status: text<(typeof STATES)[number]>('status'),
    sortBy: text<(typeof SORTS)[number]>('sortBy'),
    sortOrder: text<'asc' | 'desc'>('sortOrder'),
  };
  const list = useRead(LIST, { query: { ...query, page, take: 50 } });
  return (
    <Page
      title="Leaderboards"
      filters={
        <>
          <LeaderboardTabs />
          <Filters of={FILTERS} in={filters} />
        </>
      }
      actions={<Export op={LIST} input={{ query }} name="leaderboards" />}
    >
      <Waiting of={['leaderboard.special', 'leaderboard.prize']} />
      <List
        of={list}
        columns={RUNS}
        caption="Leaderboards"
        keyOf={({ id }) => id}
        to={({ id }) => `/leaderboards/${id}`}
        onPage={filters.toPage}
        empty="No leaderboard is like this."
      />
    </Page>
  );
}

/** Creates a leaderboard that does not belong to a schedule. */
export function NewLeaderboard() {
  const [, goTo] = useLocation();
  const make = useAct('POST /admin/leaderboards', {
    stale: [LIST],
    said: 'The leaderboard is made',
    onDone: ({ id }) => goTo(`/leaderboards/${id}`),
  });
  return (
    <Page title="A special leaderboard" filters={<LeaderboardTabs />}>
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
          submit="Make it"
          confirm="Make it? Its terms stay as they are."
        >
          <Field name="name" label="Name" required maxLength={100} />
          <TextArea name="description" label="Description, for players" maxLength={1000} />
          <Group label="When, and for what">
            <Field name="startDate" label="Begins; empty: now" type="datetime-local" />
            <Field name="endDate" label="Ends" type="datetime-local" required />
            <Field name="currencyId" label="Prizes are paid in" defaultValue="USDT" required maxLength={16} />
            <AmountField name="minBetUsd" label="Stakes count from, in USD" defaultValue="0" />
          </Group>
          <PrizeField />
          <Group label="Games that count; all empty: every game">
            <Field name="categories" label="Categories" hint="apart by commas" />
            <Field name="providerIds" label="Providers (their ids)" hint="apart by commas" />
            <Field name="gameSlugs" label="Games (their slugs)" hint="apart by commas" />
          </Group>
        </Form>
      </Card>
    </Page>
  );
}
