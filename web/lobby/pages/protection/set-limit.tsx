import { useState } from 'react';
import type { TypedLimit } from '../../../../client/call.ts';
import { Dialog } from '../../../kit/dialog.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { AmountField } from '../../../kit/form/amount-field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Segmented } from '../../../kit/form/toggle.tsx';
import type { IconName } from '../../../kit/icon.tsx';
import { Note } from '../../../kit/note.tsx';
import { useAct } from '../../../kit/query.ts';
import { words } from '../../words.ts';
import { Options } from './options.tsx';

export const LIMITS = 'GET /user-limits/gambling-limits';
const SET = 'POST /user-limits/gambling-limits';
export type LimitType = TypedLimit['type'];
type Period = TypedLimit['period'];

const TYPES = ['DEPOSIT', 'LOSS', 'WAGER', 'SESSION'] as const satisfies readonly LimitType[];
export const ICONS = {
  DEPOSIT: 'arrow-down-to-line',
  WAGER: 'coins',
  LOSS: 'chart-line',
  SESSION: 'clock',
} as const satisfies Record<LimitType, IconName>;

/** The limit to change. Without one, the player chooses a new limit. */
export type Preset = { limit?: TypedLimit };

/** Sets, changes or removes a limit, and explains its effect. */
export function SetLimit({ preset: { limit }, onClose }: { preset: Preset; onClose: () => void }) {
  const { limits } = words.protection;
  const [type, setType] = useState<LimitType>(limit?.type ?? 'DEPOSIT');
  const [period, setPeriod] = useState<Period>(limit?.period ?? 'DAY');
  const set = useAct(SET, {
    stale: [LIMITS],
    said: ({ pending }) => (pending ? limits.asked : limits.applied),
  });
  return (
    <Dialog title={limit ? limits.editTitle : limits.set} onClose={onClose}>
      <Form
        act={set}
        input={(f) => ({ body: { type, period, amount: f.text('amount') } })}
        submit={limits.save}
        onDone={onClose}
      >
        {limit ? (
          <p>
            <b>{limits.types[type]}</b> <span className="dim">{limits.periods[period]}</span>
          </p>
        ) : (
          <>
            <Options
              label={limits.on}
              of={TYPES.map((value) => ({ value, text: limits.types[value], icon: ICONS[value] }))}
              value={type}
              onChange={setType}
            />
            <Segmented label={limits.period} of={limits.choices} value={period} onChange={setPeriod} />
          </>
        )}
        <AmountField
          name="amount"
          label={type === 'SESSION' ? limits.minutes : limits.amount}
          hint={limits.about[type]}
          defaultValue={limit?.amount ?? ''}
          required
          {...(type !== 'SESSION' && { currency: 'USD' })}
        />
        <Note>{limits.rule}</Note>
      </Form>
      {limit && limit.amount !== null && <Remove of={limit} onDone={onClose} />}
    </Dialog>
  );
}

function Remove({ of: { type, period }, onDone }: { of: TypedLimit; onDone: () => void }) {
  const { limits } = words.protection;
  const remove = useAct(SET, { stale: [LIMITS], said: limits.asked, onDone });
  return (
    <ActButton
      act={remove}
      input={{ body: { type, period, amount: null } }}
      kind="ghost"
      confirm={limits.confirmRemove}
    >
      {limits.remove}
    </ActButton>
  );
}
