import { useState } from 'react';
import type { PendingLimitChange, TypedLimit } from '../../../../client/call.ts';
import { Button } from '../../../kit/button.tsx';
import { serverNow } from '../../../kit/clock.ts';
import { Dialog } from '../../../kit/dialog.tsx';
import { Skeleton } from '../../../kit/figures.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { duration, moment, money } from '../../../kit/intl.ts';
import { Meter } from '../../../kit/measures.tsx';
import { Note } from '../../../kit/note.tsx';
import { Card, Empty, Loaded } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { Rich } from '../../../kit/rich.tsx';
import { words } from '../../words.ts';
import { ICONS, LIMITS, type LimitType, type Preset, SetLimit } from './set-limit.tsx';

/** The player's limits. A lower limit applies immediately. A higher limit applies only if the player confirms it after a day. */
export function Limits() {
  const { limits } = words.protection;
  const all = useRead(LIMITS, {}, { everyMs: 60_000 });
  const [open, setOpen] = useState<Preset>();
  return (
    <Card
      title={limits.title}
      actions={
        <Button kind="main" size="sm" icon="plus" onClick={() => setOpen({})}>
          {limits.set}
        </Button>
      }
    >
      <Loaded of={all} skeleton={<Skeleton height={72} />}>
        {({ limits: rows }) =>
          rows.length === 0 ? (
            <Empty title={limits.none}>{limits.noneHint}</Empty>
          ) : (
            <ul className="limits">
              {rows.map((limit) => (
                <Limit key={limit.id} of={limit} onChange={() => setOpen({ limit })} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {open && <SetLimit preset={open} onClose={() => setOpen(undefined)} />}
    </Card>
  );
}

const textOf = (type: LimitType, amount: string | null): string =>
  amount === null
    ? words.protection.limits.noLimit
    : type === 'SESSION'
      ? duration(Math.max(1, Number(amount)) * 60_000)
      : money(amount);

function Limit({ of, onChange }: { of: TypedLimit; onChange: () => void }) {
  const { limits } = words.protection;
  const { type, period, amount, usage, source, pending } = of;
  const name = limits.types[type];
  const used = usage?.used ?? '0';
  const isReached = usage !== null && Number(usage.remaining) <= 0;
  const text = limits.usage(textOf(type, used), textOf(type, amount));
  return (
    <li className="limit">
      <span className="sign">
        <Icon name={ICONS[type]} />
      </span>
      <p>
        <b>{name}</b> <span className="sm faint">{limits.periods[period]}</span>
      </p>
      <p className="sm dim line">
        <span className="nowrap">
          <Rich of={text} parts={{ strong: (part) => <b>{part}</b> }} />
        </span>
        {source === 'PLAYER' && !pending && (
          <Button kind="ghost" size="sm" icon="pencil" aria-label={limits.edit(name)} onClick={onChange} />
        )}
      </p>
      <Meter
        label={name}
        value={Number(used)}
        of={Number(amount ?? 0)}
        text={text.replace(/[[\]]|\(\w+\)/g, '')}
      />
      {usage && amount !== null && (
        <p className={isReached ? 'sm' : 'xs faint'}>
          {(isReached ? limits.reached[type] : limits.resets)(moment(usage.periodEndsAt))}
        </p>
      )}
      {source === 'STAFF' && <p className="xs faint">{limits.byStaff}</p>}
      {pending && <Pending of={pending} />}
    </li>
  );
}

/** A higher limit that waits, and afterwards can be confirmed. */
function Pending({ of: { id, type, amount, confirmableFrom, lapsesAt } }: { of: PendingLimitChange }) {
  const { limits } = words.protection;
  const [isAsked, setAsked] = useState(false);
  const cancel = useAct('DELETE /user-limits/gambling-limits/pending', {
    stale: [LIMITS],
    said: limits.cancelled,
  });
  const isRipe = Date.parse(confirmableFrom) <= serverNow();
  const asked = textOf(type, amount);
  return (
    <div className="pending">
      <Note kind="warn" icon="clock">
        <p>{isRipe ? limits.ripe(asked, moment(lapsesAt)) : limits.early(asked, moment(confirmableFrom))}</p>
        <div className="actions">
          <ActButton act={cancel} input={{ body: { id } }} size="sm">
            {limits.keep}
          </ActButton>
          {isRipe && (
            <Button size="sm" kind="ghost" onClick={() => setAsked(true)}>
              {words.kit.confirm}
            </Button>
          )}
        </div>
      </Note>
      {isAsked && <Raise id={id} asked={asked} onClose={() => setAsked(false)} />}
    </div>
  );
}

function Raise({ id, asked, onClose }: { id: string; asked: string; onClose: () => void }) {
  const { limits } = words.protection;
  const confirm = useAct('POST /user-limits/gambling-limits/confirm', {
    stale: [LIMITS],
    said: limits.confirmed,
  });
  return (
    <Dialog title={limits.confirmHigher} onClose={onClose}>
      <Form act={confirm} input={() => ({ body: { id } })} submit={words.kit.confirm} onDone={onClose}>
        <p>
          <b>{asked}</b>
        </p>
        <p className="dim">{limits.confirmHint}</p>
      </Form>
    </Dialog>
  );
}
