import { useState } from 'react';
import { When } from '../../../kit/amount.tsx';
import { Button } from '../../../kit/button.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { asChoice } from '../../../kit/form/choice.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Fields, Form } from '../../../kit/form/form.tsx';
import { Select } from '../../../kit/form/select.tsx';
import { percent } from '../../../kit/intl.ts';
import { Card, Facts, Json, Page, words } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { Changes } from '../../changes.tsx';
import { GameField } from '../../game-fields.tsx';
import { listPage } from '../../list/list-page.tsx';
import { choice, count } from '../../list/spec.ts';
import { Waiting } from '../../waiting.tsx';
import { useProviderIds } from '../choices.ts';
import { CATEGORIES } from './choices.ts';
import { EFFECTIVE, EffectiveRule } from './effective-rule.tsx';

const LIST = 'GET /admin/casino/games/commission';
const ONE = 'GET /admin/casino/games/commission/{id}';
const STALE = [LIST, ONE, EFFECTIVE] as const;

const Below = () => (
  <div className="cards">
    <Make />
    <Ask />
  </div>
);

export const Commissions = listPage({
  list: 'commissions',
  title: 'Commissions',
  about: 'Rules for the share of the GGR that providers get',
  op: LIST,
  file: 'commissions',
  take: 20,
  Above: () => <Waiting of={['commission']} />,
  Below,
  input: ({ text, number }) => ({
    query: {
      providerId: number('providerId'),
      gameId: number('gameId'),
      category: text('category'),
    },
  }),
  keyOf: ({ id }) => id,
  to: ({ id }) => `/commissions/${id}`,
  filters: [
    choice('providerId', 'Provider', useProviderIds),
    choice('category', 'Category', [...CATEGORIES, { value: 'null', label: 'No category' }]),
    count('gameId', 'Game ID'),
  ],
  columns: [
    { name: 'id', head: 'Rule', of: ({ id }) => id, isMain: true },
    { name: 'providerId', head: 'Provider', of: ({ providerId }) => <Provider id={providerId} /> },
    { name: 'category', head: 'Category', of: ({ category }) => (category ? words(category) : 'All') },
    { name: 'gameId', head: 'Game ID', of: ({ gameId }) => gameId ?? 'All', end: true },
    {
      name: 'ggrPercent',
      head: 'Share of GGR',
      of: (r) => percent(r.ggrPercent, 4),
      end: true,
      isMain: true,
    },
    { name: 'updatedAt', head: 'Updated', of: ({ updatedAt }) => <When at={updatedAt} /> },
  ],
  empty: 'No rules yet, so the default share of each game type applies',
});

/** The name of a provider, or the id while it is not known. */
function Provider({ id }: { id: number }) {
  const known = useProviderIds().map(asChoice);
  return <>{known.find(({ value }) => value === String(id))?.label ?? `#${id}`}</>;
}

function Make() {
  const make = useAct('PUT /admin/casino/games/commission', {
    stale: STALE,
    said: 'Rule created',
  });
  return (
    <May op={make.op}>
      <Card title="New rule">
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
          submit="Create rule"
          confirm="Create this rule? It applies to bets from now on."
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
    <Card title="Which rule applies?">
      <Fields refused={undefined} onSend={(filled) => setSlug(filled.text('slug'))}>
        <GameField name="slug" label="Game" required />
        <div className="actions">
          <Button type="submit">Find rule</Button>
        </div>
      </Fields>
      {slug && <EffectiveRule slug={slug} />}
    </Card>
  );
}

export function CommissionPage({ params }: { params: { id?: string } }) {
  const id = Number(params.id);
  const one = useRead(ONE, { path: { id } });
  const change = useAct('PATCH /admin/casino/games/commission', {
    stale: STALE,
    said: 'Rule saved',
  });
  const remove = useAct('DELETE /admin/casino/games/commission', {
    stale: [LIST, EFFECTIVE],
    said: 'Rule removed',
    onDone: () => window.history.back(),
  });
  return (
    <Page title={`Commission rule ${id}`} of={one}>
      {({ providerId, category, gameId, ggrPercent, payload, createdAt, updatedAt }) => (
        <div className="stack">
          <Card
            title="Rule"
            actions={
              <ActButton
                act={remove}
                input={{ body: { providerId, category, gameId } }}
                kind="danger"
                confirm="Remove this rule? The next wider rule applies to bets from now on."
              >
                Remove
              </ActButton>
            }
          >
            <Facts
              of={{
                Provider: <Provider id={providerId} />,
                Category: category ? words(category) : 'All',
                'Game ID': gameId ?? 'All',
                'Share of GGR': percent(ggrPercent, 4),
                Created: <When at={createdAt} />,
                Updated: <When at={updatedAt} />,
              }}
            />
            {payload && <Json of={payload} />}
          </Card>
          <May op={change.op}>
            <Card title="Edit share">
              <Form
                act={change}
                input={(f) => ({
                  body: { providerId, category, gameId, payload, ggrPercent: f.text('ggrPercent') },
                })}
                confirm="Change the share for bets from now on?"
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
