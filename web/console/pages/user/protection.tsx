import type { TypedLimit } from '../../../../client/call.ts';
import { Amount, When } from '../../../kit/amount.tsx';
import { AmountField } from '../../../kit/form/amount-field.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Card, Facts, Loaded, words, YesNo } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { type Columns, Table } from '../../../kit/table.tsx';

const LIMITS = 'GET /admin/user-limits/gambling-limits/{id}';
const EXCLUSION = 'GET /admin/user-limits/user-exclusion/{id}';

const COLUMNS: Columns<TypedLimit> = [
  { head: 'Limit', of: ({ type }) => words(type) },
  { head: 'Per', of: ({ period }) => words(period) },
  { head: 'Amount', of: ({ amount }) => <Amount of={amount} />, end: true },
  { head: 'Used', of: ({ usage }) => <Amount of={usage?.used} />, end: true },
  { head: 'Left', of: ({ usage }) => <Amount of={usage?.remaining} />, end: true },
  { head: 'Set by', of: ({ source }) => words(source) },
];

/** A user's responsible gambling settings: limits and exclusions. */
export function UserProtection({ id }: { id: number }) {
  return (
    <div className="stack">
      <Limits id={id} />
      <Exclusion id={id} />
    </div>
  );
}

function Limits({ id }: { id: number }) {
  const limits = useRead(LIMITS, { path: { id } });
  const tighten = useAct('POST /admin/user-limits/gambling-limits', {
    stale: [LIMITS],
    said: 'Limit lowered',
  });
  return (
    <Card title="Limits">
      <Loaded of={limits}>
        {(state) => (
          <>
            <Facts of={{ 'Wager limit': <Amount of={state.betLimit} in="USD" /> }} />
            <Table rows={state.limits} columns={COLUMNS} caption="Limits" empty="No limits set" />
          </>
        )}
      </Loaded>
      <May op={tighten.op}>
        <Form
          act={tighten}
          input={(f) => ({ body: { userId: id, betLimit: f.text('betLimit') } })}
          submit="Lower limit"
          confirm="Lower this limit?"
        >
          <AmountField
            name="betLimit"
            label="Wager limit (USD)"
            hint="Staff can only lower limits"
            required
          />
        </Form>
      </May>
    </Card>
  );
}

function Exclusion({ id }: { id: number }) {
  const exclusion = useRead(EXCLUSION, { path: { id } });
  const exclude = useAct('POST /admin/user-limits/user-exclusion', {
    stale: [EXCLUSION],
    said: 'Player excluded',
  });
  const end = useAct('DELETE /admin/user-limits/user-exclusion', {
    stale: [EXCLUSION],
    said: 'Exclusion ended',
  });
  return (
    <Card title="Exclusion">
      <Loaded of={exclusion}>
        {(state) => (
          <Facts
            of={{
              Excluded: <YesNo of={state.isActive} />,
              Until: <When at={state.expiresAt} />,
              Why: state.reason,
            }}
          />
        )}
      </Loaded>
      <div className="cards">
        <May op={exclude.op}>
          <Form
            act={exclude}
            input={(f) => ({ body: { userId: id, excludeUntil: f.moment('excludeUntil')! } })}
            submit="Exclude player"
            kind="danger"
            confirm="Exclude this player? They can’t shorten the exclusion."
          >
            <Field name="excludeUntil" label="Until" type="datetime-local" required />
          </Form>
        </May>
        <May op={end.op}>
          <Form
            act={end}
            input={(f) => ({ body: { userId: id, reason: f.optional('reason') } })}
            submit="End exclusion"
            kind="danger"
            confirm="End the exclusion?"
          >
            <Field name="reason" label="Reason" />
          </Form>
        </May>
      </div>
    </Card>
  );
}
