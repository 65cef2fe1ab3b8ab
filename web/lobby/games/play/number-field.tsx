import { type ReactNode, useState } from 'react';
import { asNumber, typedAs } from '../../../kit/form/amount.ts';
import { FieldProblems } from '../../../kit/form/check.ts';
import { Field } from '../../../kit/form/field.tsx';

type NumberFieldProps = {
  name: string;
  label: string;
  value: number;
  /** Decimals that are shown and may be typed. */
  decimals: number;
  min: number;
  max: number;
  onChange: (value: number) => void;
  disabled?: boolean;
  /** The unit, or a button. */
  end?: ReactNode;
  /** Shown instead of a value that is being typed and is out of range. */
  problem?: string;
};

const clamped = (value: number, min: number, max: number) => Math.min(max, Math.max(min, value));

/**
 * A number that is typed. It applies while it is typed, if it is in range. Leaving the field or Enter moves it into the range. A text that is
 * no number stays until the field is left, with the reason below it, and brings back the number from before.
 */
export function NumberField(props: NumberFieldProps) {
  const { name, label, value, decimals, min, max, onChange, disabled, end, problem } = props;
  const [draft, setDraft] = useState<{ text: string; before: number }>();
  const read = asNumber(draft?.text ?? '', decimals);
  const isWrong = draft !== undefined && !(read.number! >= min && read.number! <= max);
  const change = (text: string) => {
    const before = draft?.before ?? value;
    const { number, problem: unclear } = asNumber(text, decimals);
    setDraft({ text, before });
    // The start of a number that is unclear, such as 2,5 of 2,500, must not be played.
    if (unclear !== undefined) onChange(before);
    else if (number !== undefined && number >= min && number <= max) onChange(number);
  };
  const settle = () => {
    if (read.number !== undefined) onChange(clamped(read.number, min, max));
    setDraft(undefined);
  };
  return (
    <FieldProblems value={new Map(read.problem === undefined ? [] : [[name, read.problem]])}>
      <Field
        name={name}
        label={label}
        inputMode="decimal"
        value={draft?.text ?? typedAs(value.toFixed(decimals))}
        disabled={disabled}
        end={end}
        hint={isWrong ? problem : undefined}
        onChange={(event) => change(event.target.value)}
        onBlur={settle}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          // Enter applies the number. It does not place a bet.
          event.preventDefault();
          if (read.problem === undefined) settle();
        }}
      />
    </FieldProblems>
  );
}
