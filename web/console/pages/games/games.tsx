import { useState } from 'react';
import type { GameAdmin } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { type FilterField, Filters, ORDER, useFilters, YES_NO } from '../../../kit/filters.ts';
import { ActButton } from '../../../kit/form/act-button.tsx';
import type { Choice } from '../../../kit/form/choice.tsx';
import { Select } from '../../../kit/form/select.tsx';
import { TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { List } from '../../../kit/list.tsx';
import { Card, Page, words } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { type Columns, Table } from '../../../kit/table.tsx';
import { Export } from '../../export.tsx';
import { Waiting } from '../../waiting.tsx';
import { CATEGORIES, type Category, type GameType, TYPES } from './choices.ts';

const LIST = 'GET /admin/casino/games/all';
const BY = ['name', 'default', 'popular', 'lastPlayed'] as const;
const BY_CHOICES: readonly Choice[] = BY.map((value) => ({ value, label: words(value) }));

const FILTERS: readonly FilterField[] = [
  { name: 'name', label: 'Name' },
  { name: 'slug', label: 'Slug' },
  { name: 'type', label: 'Type', of: TYPES },
  { name: 'category', label: 'Category', of: CATEGORIES },
  { name: 'providerId', label: 'Provider id', type: 'number' },
  { name: 'enabled', label: 'Switched on', of: YES_NO },
  { name: 'sortBy', label: 'By', of: BY_CHOICES, none: 'when it came' },
  ORDER,
];

const COLUMNS: Columns<GameAdmin> = [
  { head: 'Game', of: ({ name }) => name },
  { head: 'State', of: ({ enabled }) => <OnOff of={enabled} /> },
  { head: 'Provider', of: ({ provider }) => provider.name },
  { head: 'Type', of: ({ type }) => words(type) },
  { head: 'Categories', of: ({ categories }) => categories.map(words).join(', ') },
  { head: 'Return %', of: ({ info }) => info?.rtp, end: true },
  { head: 'Tags', of: ({ tags }) => tags.join(', ') },
  { head: 'Last played', of: ({ lastPlayedAt }) => <When at={lastPlayedAt} /> },
];

export const OnOff = ({ of }: { of: boolean | undefined }) => (
  <span className={`status ${of ? 'good' : 'bad'}`}>{of ? '✓ on' : '✕ off'}</span>
);

export function Games() {
  const filters = useFilters({});
  const { text, number, flag, page } = filters;
  const query = {
    name: text('name'),
    slug: text('slug'),
    type: text<GameType>('type'),
    category: text<Category>('category'),
    providerId: number('providerId'),
    enabled: flag('enabled'),
    sortBy: text<(typeof BY)[number]>('sortBy'),
    sortOrder: text<'asc'>('sortOrder'),
  };
  const list = useRead(LIST, { query: { ...query, withInfo: true, page, take: 30 } });
  const hydrate = useAct('POST /admin/casino/games/hydrate', {
    stale: [LIST],
    said: 'The providers are asked; it takes a while',
  });
  return (
    <Page
      title="Games"
      filters={<Filters of={FILTERS} in={filters} />}
      actions={
        <>
          <ActButton act={hydrate} input={{}} confirm="Take over the games of all providers now?">
            Ask providers for games
          </ActButton>
          <Export op={LIST} input={{ query }} name="games" />
        </>
      }
    >
      <Waiting of={['casino.category']} />
      <List
        of={list}
        columns={COLUMNS}
        caption="Games"
        keyOf={({ id }) => id}
        to={({ slug }) => `/games/${slug}`}
        onPage={filters.toPage}
        empty="No game is like this."
      />
      <Bulk shown={list.data?.data ?? []} />
    </Page>
  );
}

type Result = { slug: string; success: boolean; code: string | null };
const RESULTS: Columns<Result> = [
  { head: 'Game', of: ({ slug }) => slug },
  { head: 'What became of it', of: ({ success, code }) => (success ? '✓ changed' : `✕ ${code}`) },
];

/** Changes many games with one request. If a game cannot be changed, the other games are still changed. */
function Bulk({ shown }: { shown: readonly GameAdmin[] }) {
  const [results, setResults] = useState<Result[]>();
  const change = useAct('POST /admin/casino/games/bulk', {
    stale: [LIST],
    said: ({ updated }) => `${updated} changed`,
    onDone: (answer) => setResults(answer.results),
  });
  return (
    <May op={change.op}>
      <Card title="Many at once">
        <Form
          act={change}
          input={(f) => ({
            body: {
              slugs: f.list('slugs'),
              enabled: f.text('enabled') === '' ? undefined : f.text('enabled') === 'true',
              category: f.optional('category'),
            },
          })}
          submit="Change them"
          confirm="Change all of these?"
          tells={({ body: { slugs, enabled, category } }) => (
            <p>
              {slugs.length} games
              {enabled !== undefined && `, switched ${enabled ? 'on' : 'off'}`}
              {category && `, main category ${words(category)}`}: {slugs.join(', ')}
            </p>
          )}
        >
          <TextArea
            key={shown.map(({ slug }) => slug).join()}
            name="slugs"
            label="Slugs, one a line, 200 at most"
            hint="At first those of the list above."
            defaultValue={shown.map(({ slug }) => slug).join('\n')}
            required
          />
          <Select
            name="enabled"
            label="State"
            of={[
              { value: 'true', label: 'switch on' },
              { value: 'false', label: 'switch off' },
            ]}
            none="as it is"
          />
          <Select name="category" label="Main category" of={CATEGORIES} none="as it is" />
        </Form>
        {results && <Table rows={results} columns={RESULTS} caption="What became of each" />}
      </Card>
    </May>
  );
}
