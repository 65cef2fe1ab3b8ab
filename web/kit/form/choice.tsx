import './choice.css';
import { type ComponentProps, type ReactNode, use, useId } from 'react';
import { words } from '../page.tsx';
import { FieldProblems } from './check.ts';
import { type FieldProps, Labelled } from './field.tsx';

export type Choice = string | { value: string; label: string };
/** Returns a choice as value and label. A code is labelled with its words. */
export const asChoice = (choice: Choice) =>
  typeof choice === 'string' ? { value: choice, label: words(choice) } : choice;

type CheckProps = Omit<ComponentProps<'input'>, 'name'> & { name: string; label: ReactNode };

/** A box to tick, with a text that may contain links. */
export function Check({ name, label, ...more }: CheckProps) {
  const id = useId();
  const problem = use(FieldProblems).get(name);
  return (
    <div className="check">
      <input
        type="checkbox"
        id={id}
        name={name}
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem ? `${id}-problem` : undefined}
        {...more}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {problem && (
          <small id={`${id}-problem`} className="problem">
            {problem}
          </small>
        )}
      </div>
    </div>
  );
}

/** A group of checkboxes with one name. The user can select several. */
export function Checks(props: FieldProps & { of: readonly Choice[]; chosen?: readonly string[] }) {
  const { name, label, of, chosen = [] } = props;
  return (
    <fieldset className="boxed">
      <legend>{label}</legend>
      <div className="checks">
        {of.map(asChoice).map(({ value, label: text }) => (
          <Check key={value} name={name} label={text} value={value} defaultChecked={chosen.includes(value)} />
        ))}
      </div>
    </fieldset>
  );
}

type SliderProps = Omit<ComponentProps<'input'>, 'name' | 'value' | 'onChange' | 'min' | 'max'> &
  FieldProps & { value: number; min: number; max: number; onChange: (value: number) => void };

/** A number that is chosen along a track. The label's line ends with its value. */
export function Slider({ name, label, hint, right, value, onChange, min, max, ...more }: SliderProps) {
  return (
    <Labelled name={name} label={label} hint={hint} right={right}>
      {(ids) => (
        <input
          type="range"
          className="slider"
          {...more}
          {...ids}
          min={min}
          max={max}
          value={value}
          style={{ '--part': `${((value - min) / (max - min)) * 100}%` }}
          onChange={(event) => onChange(Number(event.target.value))}
        />
      )}
    </Labelled>
  );
}
