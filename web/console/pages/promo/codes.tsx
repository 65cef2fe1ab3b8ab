import { useState } from 'react';
import type { PromoCodeRow } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { Button } from '../../../kit/button.tsx';
import { type FilterField, Filters, ORDER, useFilters, YES_NO } from '../../../kit/filters.ts';
import type { Choice } from '../../../kit/form/choice.tsx';
import { Select } from '../../../kit/form/select.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { List } from '../../../kit/list.tsx';
import { Card, words } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import type { Columns } from '../../../kit/table.tsx';
import { Export, saveAs } from '../../export.tsx';

const LIST = 'GET /admin/promo/{id}/codes';
const SORTS = ['uses', 'code'] as const;
const KINDS: readonly Choice[] = [
  { value: 'ONE_TIME', label: 'many random ones, each for one use' },
  { value: 'UNIVERSAL', label: 'one for everybody' },
];

const FILTERS: readonly FilterField[] = [
  { name: 'search', label: 'Code begins with' },
  { name: 'used', label: 'Used', of: YES_NO },
  { name: 'sortBy', label: 'By', of: SORTS, none: 'time' },
  ORDER,
];

const COLUMNS: Columns<PromoCodeRow> = [
  { head: 'Code', of: ({ code }) => <code>{code}</code> },
  { head: 'Kind', of: ({ kind }) => words(kind) },
  { head: 'Uses', of: ({ uses }) => uses, end: true },
  { head: 'Of at most', of: ({ maxUses }) => maxUses ?? 'no limit', end: true },
  { head: 'Made', of: ({ createdAt }) => <When at={createdAt} /> },
  { head: 'Last used', of: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
];

export function PromoCodes({ id, isRedeemed }: { id: string; isRedeemed: boolean }) {
  const filters = useFilters({});
  const { text, flag, page } = filters;
  const query = {
    search: text('search'),
    used: flag('used'),
    sortBy: text<(typeof SORTS)[number]>('sortBy'),
    sortOrder: text<'asc' | 'desc'>('sortOrder'),
  };
  const list = useRead(LIST, { path: { id }, query: { ...query, page, take: 20 } });
  return (
    <div className="stack">
      {isRedeemed ? (
        <Make id={id} />
      ) : (
        <p className="dim">Staff alone grants this promotion: it has no codes.</p>
      )}
      <Card title="Codes" actions={<Export op={LIST} input={{ path: { id }, query }} name={`codes-${id}`} />}>
        <Filters of={FILTERS} in={filters} />
        <List
          of={list}
          columns={COLUMNS}
          caption="Codes"
          keyOf={({ code }) => code}
          onPage={filters.toPage}
          empty="No code is like this."
        />
      </Card>
    </div>
  );
}

function Make({ id }: { id: string }) {
  const [kind, setKind] = useState('ONE_TIME');
  const make = useAct('POST /admin/promo/{id}/codes', {
    stale: [LIST],
    said: ({ created }) => `Codes made: ${created.toLocaleString('en')}`,
  });
  const made = make.answered?.codes ?? [];
  return (
    <May op={make.op}>
      <Card title="New codes">
        <Form
          act={make}
          input={(f) => ({
            path: { id },
            body: {
              kind: f.text('kind') as PromoCodeRow['kind'],
              count: f.optionalNumber('count'),
              code: f.optional('code'),
              maxUses: f.optionalNumber('maxUses'),
            },
          })}
          submit="Make them"
        >
          <Select
            name="kind"
            label="What"
            of={KINDS}
            value={kind}
            onChange={setKind}
          />
          {kind === 'ONE_TIME' ? (
            <Field
              name="count"
              label="How many"
              type="number"
              min={1}
              max={10_000}
              defaultValue={10}
              required
            />
          ) : (
            <>
              <Field
                name="code"
                label="Code"
                hint="empty: a random one"
                pattern="[A-Za-z0-9_\-]{3,}"
                maxLength={64}
              />
              <Field
                name="maxUses"
                label="Most uses"
                hint="empty: no limit"
                type="number"
                min={1}
                max={2_147_483_647}
              />
            </>
          )}
        </Form>
        {made.length > 0 && <Made codes={made} name={`new-codes-${id}`} />}
      </Card>
    </May>
  );
}

function Made({ codes, name }: { codes: readonly string[]; name: string }) {
  const save = () => saveAs(`${name}.csv`, new Blob([`code\n${codes.join('\n')}\n`], { type: 'text/csv' }));
  return (
    <details open={codes.length <= 20}>
      <summary>
        {codes.length.toLocaleString('en')} made now <Button onClick={save}>Save them as CSV</Button>
      </summary>
      <pre className="json">{codes.join('\n')}</pre>
    </details>
  );
}
