import type { TypedLimit } from '../../../../client/call.ts';
import { Amount, When } from '../../../kit/amount.tsx';
import { AmountField } from '../../../kit/form/amount-field.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Card, Facts, Loaded, words, YesNo } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { type Columns, Table } from '../../../kit/table.tsx';
import { FormButton } from '../../form-button.tsx';
import { STALE } from './shared.ts';

const LIMITS = 'GET /admin/user-limits/gambling-limits/{id}';
const EXCLUSION = 'GET /admin/user-limits/user-exclusion/{id}';
const LOWER = 'POST /admin/user-limits/gambling-limits';
const EXCLUDE = 'POST /admin/user-limits/user-exclusion';
const END = 'DELETE /admin/user-limits/user-exclusion';

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
  return (
    <Card
      title="Limits"
      actions={
        <FormButton op={LOWER} label="Lower limit…" title="Lower the wager limit">
          {(close) => <LowerForm id={id} onDone={close} />}
        </FormButton>
      }
    >
      <Loaded of={limits}>
        {(state) => (
          <>
            <Facts of={{ 'Wager limit': <Amount of={state.betLimit} in="USD" /> }} />
            <Table
              rows={state.limits}
              columns={COLUMNS}
              caption="Limits"
              keyOf={({ type, period }) => `${type} ${period}`}
              empty="No limits set"
            />
          </>
        )}
      </Loaded>
    </Card>
  );
}

type FormProps = { id: number; onDone: () => void };

function LowerForm({ id, onDone }: FormProps) {
  const lower = useAct(LOWER, { stale: [...STALE, LIMITS], said: 'Limit lowered', onDone });
  return (
    <Form
      act={lower}
      input={(f) => ({ body: { userId: id, betLimit: f.text('betLimit') } })}
      submit="Lower limit"
    >
      <AmountField name="betLimit" label="Wager limit (USD)" hint="Staff can only lower limits" required />
    </Form>
  );
}

function Exclusion({ id }: { id: number }) {
  const exclusion = useRead(EXCLUSION, { path: { id } });
  return (
    <Card
      title="Exclusion"
      actions={
        <>
          <FormButton op={EXCLUDE} label="Exclude…" title="Exclude the player?" kind="danger">
            {(close) => <ExcludeForm id={id} onDone={close} />}
          </FormButton>
          {exclusion.data?.isActive && (
            <FormButton op={END} label="End exclusion…" title="End the exclusion?" kind="danger">
              {(close) => <EndForm id={id} onDone={close} />}
            </FormButton>
          )}
        </>
      }
    >
      <Loaded of={exclusion}>
        {(state) => (
          <Facts
            of={{
              Excluded: <YesNo of={state.isActive} />,
              Until: <When at={state.expiresAt} />,
              Reason: state.reason,
            }}
          />
        )}
      </Loaded>
    </Card>
  );
}

function ExcludeForm({ id, onDone }: FormProps) {
  const exclude = useAct(EXCLUDE, { stale: [...STALE, EXCLUSION], said: 'Player excluded', onDone });
  return (
    <Form
      act={exclude}
      input={(f) => ({ body: { userId: id, excludeUntil: f.moment('excludeUntil')! } })}
      submit="Exclude player"
      kind="danger"
    >
      <p className="dim">The player can’t shorten the exclusion.</p>
      <Field name="excludeUntil" label="Until" type="datetime-local" required />
    </Form>
  );
}

function EndForm({ id, onDone }: FormProps) {
  const end = useAct(END, { stale: [...STALE, EXCLUSION], said: 'Exclusion ended', onDone });
  return (
    <Form
      act={end}
      input={(f) => ({ body: { userId: id, reason: f.optional('reason') } })}
      submit="End exclusion"
      kind="danger"
    >
      <Field name="reason" label="Reason" />
    </Form>
  );
}
