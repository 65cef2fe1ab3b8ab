import { AmountInput } from '../../../kit/form/amount-field.tsx';
import { FieldProblems, type Problems } from '../../../kit/form/check.ts';
import { Field } from '../../../kit/form/field.tsx';
import { Segmented } from '../../../kit/form/toggle.tsx';
import { kit } from '../../../kit/words.ts';
import { words } from '../../words.ts';
import type { AutoTyped, Plan } from './plan.ts';
import { useAutoFields } from './use-auto-fields.ts';

const COUNTS = ['10', '100'] as const;

type AutoFieldsProps = { onPlan: (plan: Plan | undefined) => void; isLocked: boolean };

export function AutoFields({ onPlan, isLocked }: AutoFieldsProps) {
  const { typed, change, wrong } = useAutoFields(onPlan);
  const t = words.auto;
  const money = (name: 'profit' | 'loss' | 'win', hint?: string) => (
    <AmountInput
      name={name}
      label={t[name]}
      hint={hint}
      currency="USD"
      value={typed[name]}
      disabled={isLocked}
      onChange={(value) => change({ [name]: value })}
    />
  );
  return (
    <FieldProblems value={problemsOf(wrong)}>
      <Field
        name="count"
        label={t.count}
        inputMode="numeric"
        value={typed.count}
        disabled={isLocked}
        onChange={(event) => change({ count: event.target.value.trim() })}
        end={
          <span className="add">
            {COUNTS.map((count) => (
              <button
                key={count}
                type="button"
                className="button"
                disabled={isLocked}
                onClick={() => change({ count })}
              >
                {count}
              </button>
            ))}
          </span>
        }
      />
      {(['onWin', 'onLoss'] as const).map((name) => (
        <ChangeField
          key={name}
          name={name}
          label={t[name]}
          value={typed[name]}
          isWrong={wrong.includes(name)}
          isLocked={isLocked}
          onChange={change}
        />
      ))}
      {money('loss', t.lossHint)}
      <div className="pair">
        {money('profit')}
        {money('win')}
      </div>
    </FieldProblems>
  );
}

const problemsOf = (wrong: readonly string[]): Problems =>
  new Map(wrong.map((name) => [name, name === 'count' ? words.auto.counts : kit.wrong.amount]));

type ChangeFieldProps = {
  name: 'onWin' | 'onLoss';
  label: string;
  value: string;
  isWrong: boolean;
  isLocked: boolean;
  onChange: (part: Partial<AutoTyped>) => void;
};

/** The change of the bet amount after a win or a loss: a reset, or an increase by a percentage. */
const ChangeField = ({ name, label, value, isWrong, isLocked, onChange }: ChangeFieldProps) => (
  <div className={isWrong ? 'field wrong' : 'field'}>
    <span>{label}</span>
    <div className="line">
      <Segmented
        label={label}
        of={{ reset: words.auto.reset, increase: words.auto.increase }}
        value={value === '' ? 'reset' : 'increase'}
        disabled={isLocked}
        onChange={(next) => onChange({ [name]: next === 'reset' ? '' : '100' })}
      />
      {value !== '' && (
        <span className="input">
          <input
            name={name}
            aria-label={words.auto.percent(label)}
            inputMode="numeric"
            autoComplete="off"
            value={value}
            disabled={isLocked}
            aria-invalid={isWrong || undefined}
            aria-describedby={isWrong ? `${name}-problem` : undefined}
            onChange={({ target }) =>
              onChange({ [name]: target.value.trim().replace(/^0+(?=\d)/, '') || '0' })
            }
          />
          <span className="faint">%</span>
        </span>
      )}
    </div>
    {isWrong && (
      <small id={`${name}-problem`} className="problem">
        {kit.wrong.number}
      </small>
    )}
  </div>
);
