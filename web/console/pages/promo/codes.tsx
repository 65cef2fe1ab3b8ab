import { useState } from 'react';
import type { Input, PromoAdmin, PromoCodeRow } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { Button } from '../../../kit/button.tsx';
import type { Choice } from '../../../kit/form/choice.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Select } from '../../../kit/form/select.tsx';
import { exactMoney, number, plural } from '../../../kit/intl.ts';
import { Note } from '../../../kit/note.tsx';
import { Card, Facts, words } from '../../../kit/page.tsx';
import { useAct } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { listPart } from '../../list/list-page.tsx';
import { yesNo } from '../../list/spec.ts';
import { saveAs } from '../../save.ts';
import { TotalBound } from './bounds.tsx';
import { timesOf } from './cost.ts';
import { Reward } from './reward.tsx';
import { useCost } from './use-cost.ts';

const LIST = 'GET /admin/promo/{id}/codes';
const MAKE = 'POST /admin/promo/{id}/codes';
const KINDS: readonly Choice[] = [
  { value: 'ONE_TIME', label: 'Random codes, each for one use' },
  { value: 'UNIVERSAL', label: 'One shared code' },
];

const CodeList = listPart<typeof LIST, { id: string }>({
  list: 'promo-codes',
  title: 'Codes',
  op: LIST,
  file: 'codes',
  take: 20,
  input: ({ text, flag }, { id }) => ({
    path: { id },
    query: {
      search: text('search'),
      used: flag('used'),
      sortBy: text<'createdAt' | 'uses' | 'code'>('sortBy'),
      sortOrder: text<'asc' | 'desc'>('sortOrder'),
    },
  }),
  keyOf: ({ code }) => code,
  idField: 'code',
  sorted: { by: 'createdAt', order: 'desc' },
  search: { name: 'search', label: 'Code starts with' },
  filters: [yesNo('used', 'Used')],
  columns: [
    { name: 'code', head: 'Code', of: ({ code }) => <code>{code}</code>, sort: 'code', isMain: true },
    { name: 'kind', head: 'Type', of: ({ kind }) => words(kind) },
    { name: 'uses', head: 'Uses', of: ({ uses }) => number(uses), end: true, sort: 'uses', isMain: true },
    {
      name: 'maxUses',
      head: 'Limit',
      of: ({ maxUses }) => (maxUses === null ? 'No limit' : number(maxUses)),
      end: true,
    },
    { name: 'createdAt', head: 'Created', of: ({ createdAt }) => <When at={createdAt} />, sort: 'createdAt' },
    { name: 'lastUsedAt', head: 'Last used', of: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
  ],
  empty: 'No codes yet',
});

export const PromoCodes = ({ of: promo }: { of: PromoAdmin }) => (
  <div className="stack">
    {promo.type !== 'MANUAL' ? (
      <Make of={promo} />
    ) : (
      <p className="dim">Staff grant this promotion, so it has no codes.</p>
    )}
    <CodeList of={{ id: promo.id }} />
  </div>
);

function Make({ of: promo }: { of: PromoAdmin }) {
  const { id } = promo;
  const [kind, setKind] = useState('ONE_TIME');
  const make = useAct(MAKE, {
    stale: [LIST],
    said: ({ created }) => `Codes created: ${number(created)}`,
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
          submit="Create codes"
          confirm="Create these codes?"
          tells={({ body }) => <CodesEffect of={promo} body={body} />}
        >
          <Select name="kind" label="Type" of={KINDS} value={kind} onChange={setKind} />
          {kind === 'ONE_TIME' ? (
            <Field
              name="count"
              label="Number of codes"
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
                hint="Leave empty for a random code"
                pattern="[A-Za-z0-9_\-]{3,}"
                maxLength={64}
              />
              <Field
                name="maxUses"
                label="Max uses"
                hint="Leave empty for no limit"
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

/** The most that the codes can cost: one grant for each use. */
function CodesEffect({ of: promo, body }: { of: PromoAdmin; body: Input<typeof MAKE>['body'] }) {
  const cost = useCost()(promo);
  const uses = body.kind === 'ONE_TIME' ? (body.count ?? 1) : body.maxUses;
  const most = uses !== undefined && cost.grant ? timesOf(cost.grant, uses) : undefined;
  return (
    <>
      <Facts
        isRows
        of={{
          Codes: plural(body.kind === 'ONE_TIME' ? uses! : 1, { one: '# code', other: '# codes' }),
          Uses: uses === undefined ? 'No limit' : number(uses),
          'Each use grants': <Reward of={promo} isExact />,
          'These codes, at most': most ? exactMoney(most.amount, most.currencyId) : 'No upper bound',
          'The whole promotion, at most': <TotalBound of={cost} isExact />,
        }}
      />
      {promo.isApproved === false && (
        <Note kind="warn">
          No second person has approved the cost yet. Until then, all codes together grant at most what one
          person may give out alone.
        </Note>
      )}
    </>
  );
}

function Made({ codes, name }: { codes: readonly string[]; name: string }) {
  const save = () => saveAs(`${name}.csv`, new Blob([`code\n${codes.join('\n')}\n`], { type: 'text/csv' }));
  return (
    <details open={codes.length <= 20}>
      <summary>
        {plural(codes.length, { one: '# new code', other: '# new codes' })}{' '}
        <Button onClick={save}>Save as CSV</Button>
      </summary>
      <pre className="json">{codes.join('\n')}</pre>
    </details>
  );
}
