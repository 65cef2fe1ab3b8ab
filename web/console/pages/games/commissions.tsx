import { useState } from 'react';
import { Link } from 'wouter';
import type { GgrCommissionRule } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { type FilterField, Filters, useFilters } from '../../../kit/filters.ts';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { Select } from '../../../kit/form/select.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { List } from '../../../kit/list.tsx';
import { Card, Facts, Json, Loaded, Page, words } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import type { Columns } from '../../../kit/table.tsx';
import { Changes } from '../../changes.tsx';
import { Export } from '../../export.tsx';
import { Waiting } from '../../waiting.tsx';
import { CATEGORIES } from './choices.ts';

const LIST = 'GET /admin/casino/games/commission';
const ONE = 'GET /admin/casino/games/commission/{id}';
const EFFECTIVE = 'GET /admin/casino/games/commission/effective';
const STALE = [LIST, ONE, EFFECTIVE] as const;

const FILTERS: readonly FilterField[] = [
  { name: 'providerId', label: 'Provider id', type: 'number' },
  { name: 'gameId', label: 'Game id', type: 'number' },
  { name: 'category', label: 'Category', of: [...CATEGORIES, { value: 'null', label: 'of no category' }] },
];

const COLUMNS: Columns<GgrCommissionRule> = [
  { head: 'Rule', of: ({ id }) => id },
  { head: 'Provider id', of: ({ providerId }) => providerId, end: true },
  { head: 'Category', of: ({ category }) => (category ? words(category) : 'all') },
  { head: 'Game id', of: ({ gameId }) => gameId ?? 'all', end: true },
  { head: '% of GGR', of: ({ ggrPercent }) => ggrPercent, end: true },
  { head: 'Changed', of: ({ updatedAt }) => <When at={updatedAt} /> },
];

export function Commissions() {
  const filters = useFilters({});
  const { text, number, page } = filters;
  const query = {
    providerId: number('providerId'),
    gameId: number('gameId'),
    category: text('category'),
  };
  const list = useRead(LIST, { query: { ...query, page, take: 20 } });
  return (
    <Page
      title="Commissions of providers"
      filters={<Filters of={FILTERS} in={filters} />}
      actions={<Export op={LIST} input={{ query }} name="commissions" />}
    >
      <Waiting of={['commission']} />
      <List
        of={list}
        columns={COLUMNS}
        caption="Commissions of providers"
        keyOf={({ id }) => id}
        to={({ id }) => `/commissions/${id}`}
        onPage={filters.toPage}
        empty="No rule: the usual share of each type of games holds."
      />
      <div className="cards">
        <Make />
        <Ask />
      </div>
    </Page>
  );
}

function Make() {
  const make = useAct('PUT /admin/casino/games/commission', {
    stale: STALE,
    said: 'The rule holds from now on',
  });
  return (
    <May op={make.op}>
      <Card title="A new rule">
        <Form
          act={make}
          input={(f) => ({
            body: {
              providerId: f.number('providerId'),
              category: f.orNull('category'),
              gameId: f.optionalNumber('gameId') ?? null,
              ggrPercent: f.text('ggrPercent'),
              payload: null,
            },
          })}
          submit="Make it"
          confirm="Make this rule? It holds for bets from now on."
          isEmptied
        >
          <Field name="providerId" label="Provider id" type="number" min={0} required />
          <Select name="category" label="Category" of={CATEGORIES} none="all" />
          <Field name="gameId" label="Game id; empty: all games" type="number" min={1} />
          <Percent />
        </Form>
      </Card>
    </May>
  );
}

const Percent = ({ is }: { is?: string }) => (
  <Field
    name="ggrPercent"
    label="Share of the GGR in %, at most four decimals"
    inputMode="decimal"
    pattern="(100(\.0{1,4})?|[0-9]{1,2}(\.[0-9]{1,4})?)"
    defaultValue={is}
    required
  />
);

/** Shows the commission rule that applies to a game. */
function Ask() {
  const [slug, setSlug] = useState('');
  return (
    <Card title="Which one holds?">
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          setSlug(String(new FormData(event.currentTarget).get('slug')).trim());
        }}
      >
        <Field name="slug" label="Slug of a game" required maxLength={64} />
        <div className="actions">
          <button className="button" type="submit">
            Ask
          </button>
        </div>
      </form>
      {slug && <Effective slug={slug} />}
    </Card>
  );
}

export function Effective({ slug }: { slug: string }) {
  const found = useRead(EFFECTIVE, { query: { slug } });
  return (
    <Loaded of={found}>
      {({ ggrPercent, match, rule, explanation }) => (
        <>
          <Facts
            of={{
              'Share of the GGR': `${ggrPercent} %`,
              'Which fits': words(match),
              Rule: rule && <Link href={`/commissions/${rule.id}`}>rule {rule.id}</Link>,
            }}
          />
          <p className="dim">{explanation}</p>
        </>
      )}
    </Loaded>
  );
}

export function CommissionPage({ params }: { params: { id?: string } }) {
  const id = Number(params.id);
  const one = useRead(ONE, { path: { id } });
  const change = useAct('PATCH /admin/casino/games/commission', {
    stale: STALE,
    said: 'Changed from now on',
  });
  const remove = useAct('DELETE /admin/casino/games/commission', {
    stale: [LIST, EFFECTIVE],
    said: 'The rule is gone',
    onDone: () => window.history.back(),
  });
  return (
    <Page title={`Commission rule ${id}`} of={one}>
      {({ providerId, category, gameId, ggrPercent, payload, createdAt, updatedAt }) => (
        <div className="stack">
          <Card
            title="What it says"
            actions={
              <ActButton
                act={remove}
                input={{ body: { providerId, category, gameId } }}
                kind="danger"
                confirm="Remove the rule? For bets from now on the next wider one holds."
              >
                Remove
              </ActButton>
            }
          >
            <Facts
              of={{
                'Provider id': providerId,
                Category: category ? words(category) : 'all',
                'Game id': gameId ?? 'all',
                'Share of the GGR': `${ggrPercent} %`,
                Made: <When at={createdAt} />,
                Changed: <When at={updatedAt} />,
              }}
            />
            {payload && <Json of={payload} />}
          </Card>
          <May op={change.op}>
            <Card title="Change">
              <Form
                act={change}
                input={(f) => ({
                  body: { providerId, category, gameId, payload, ggrPercent: f.text('ggrPercent') },
                })}
                confirm="Change the share, for bets from now on?"
                tells={({ body }) => (
                  <Changes before={{ ggrPercent }} after={{ ggrPercent: body.ggrPercent }} />
                )}
              >
                <Percent is={ggrPercent} />
              </Form>
            </Card>
          </May>
        </div>
      )}
    </Page>
  );
}
