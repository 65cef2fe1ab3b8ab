import { useState } from 'react';
import type { PendingLimitChange, TypedLimit } from '../../../../client/call.ts';
import { Amount, When } from '../../../kit/amount.tsx';
import { ActButton, Form, Select } from '../../../kit/form.tsx';
import { Card, Loaded } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { type Columns, Table } from '../../../kit/table.tsx';
import { words } from '../../words.ts';
import { Sum, sumOf } from '../wallet/parts.tsx';

const LIMITS = 'GET /user-limits/gambling-limits';
const TYPES = ['DEPOSIT', 'WAGER', 'LOSS', 'SESSION'] as const;
const PERIODS = ['DAY', 'WEEK', 'MONTH'] as const;
type LimitType = (typeof TYPES)[number];
type Period = (typeof PERIODS)[number];

/** The player's limits. A lower limit applies immediately. A higher limit applies only if the player confirms it after a day. */
export function Limits() {
  const { limits } = words.protection;
  const all = useRead(LIMITS, {}, { everyMs: 60_000 });
  return (
    <Card title={limits.title}>
      <div className="stack">
        <p>{limits.hint}</p>
        <Loaded of={all}>
          {({ limits: rows }) => (
            <Table
              rows={rows}
              columns={columns()}
              caption={limits.title}
              keyOf={({ id }) => id}
              empty={limits.none}
            />
          )}
        </Loaded>
        <SetLimit />
      </div>
    </Card>
  );
}

const Value = ({ type, of }: { type: LimitType; of: string | null }) =>
  of === null ? (
    words.protection.limits.noLimit
  ) : type === 'SESSION' ? (
    words.protect.minutes(of)
  ) : (
    <Amount of={of} in="USD" />
  );

function columns(): Columns<TypedLimit> {
  const { limits } = words.protection;
  return [
    { head: limits.what, of: ({ type, period }) => limits.name(limits.types[type], limits.periods[period]) },
    { head: limits.limit, of: ({ type, amount }) => <Value type={type} of={amount} />, end: true },
    {
      head: limits.used,
      of: ({ type, usage }) => (usage ? <Value type={type} of={usage.used} /> : '–'),
      end: true,
    },
    {
      head: limits.left,
      of: ({ type, usage }) => (usage ? <Value type={type} of={usage.remaining} /> : '–'),
      end: true,
    },
    { head: limits.anew, of: ({ usage }) => <When at={usage?.periodEndsAt} /> },
    { head: limits.change, of: (limit) => <Change of={limit} />, wide: true },
  ];
}

/** Shows a pending change, or a button that removes the limit. Only staff can change a limit that staff have set. */
function Change({ of: { type, period, source, pending } }: { of: TypedLimit }) {
  const { limits } = words.protection;
  const remove = useAct('POST /user-limits/gambling-limits', { stale: [LIMITS], said: limits.asked });
  if (source === 'STAFF') return <span className="dim">{limits.byStaff}</span>;
  if (pending) return <Pending of={pending} />;
  return (
    <ActButton
      act={remove}
      input={{ body: { type, period, amount: null } }}
      kind="quiet"
      confirm={limits.confirmRemove}
    >
      {limits.remove}
    </ActButton>
  );
}

function Pending({ of: { id, type, amount, confirmableFrom, lapsesAt } }: { of: PendingLimitChange }) {
  const { limits } = words.protection;
  const confirm = useAct('POST /user-limits/gambling-limits/confirm', {
    stale: [LIMITS],
    said: limits.confirmed,
  });
  const cancel = useAct('DELETE /user-limits/gambling-limits/pending', {
    stale: [LIMITS],
    said: limits.cancelled,
  });
  const isRipe = Date.parse(confirmableFrom) <= Date.now();
  return (
    <div className="stack tight">
      <span>
        ● {limits.waits} <Value type={type} of={amount} />
      </span>
      <small>
        {isRipe ? limits.confirmUntil : limits.confirmFrom} <When at={isRipe ? lapsesAt : confirmableFrom} />
      </small>
      <span className="actions">
        {isRipe && (
          <ActButton act={confirm} input={{ body: { id } }} confirm={limits.confirmHigher}>
            {words.kit.confirm}
          </ActButton>
        )}
        <ActButton act={cancel} input={{ body: { id } }}>
          {limits.keep}
        </ActButton>
      </span>
    </div>
  );
}

function SetLimit() {
  const { limits } = words.protection;
  const [type, setType] = useState<LimitType>('DEPOSIT');
  const set = useAct('POST /user-limits/gambling-limits', {
    stale: [LIMITS],
    said: ({ pending }) => (pending ? limits.asked : limits.holds),
  });
  return (
    <Form
      act={set}
      input={(f) => ({ body: { type, period: f.text('period') as Period, amount: sumOf(f, 'amount') } })}
      submit={limits.set}
      isEmptied
    >
      <div className="group">
        <Select
          name="type"
          label={limits.on}
          of={TYPES.map((value) => ({ value, label: limits.types[value] }))}
          value={type}
          onChange={(event) => setType(event.target.value as LimitType)}
        />
        <Select
          name="period"
          label={limits.per}
          of={PERIODS.map((value) => ({ value, label: limits.periods[value] }))}
        />
        <Sum
          name="amount"
          label={type === 'SESSION' ? limits.minutes : limits.dollars}
          hint={limits.about[type]}
        />
      </div>
    </Form>
  );
}
