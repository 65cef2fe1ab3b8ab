import { type ReactNode, useState } from 'react';
import { typedAs } from '../../../kit/form/amount.ts';
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

/** A number that is typed. It applies while it is typed, if it is in range. Leaving the field or Enter moves it into the range. */
export function NumberField(props: NumberFieldProps) {
  const { name, label, value, decimals, min, max, onChange, disabled, end, problem } = props;
  const [draft, setDraft] = useState<string>();
  const typed = draft === undefined ? value : Number(draft);
  const isWrong = draft !== undefined && !(draft !== '' && typed >= min && typed <= max);
  const change = (text: string) => {
    const next = text.replace(',', '.');
    if (!new RegExp(`^\\d{0,8}(\\.\\d{0,${decimals}})?$`).test(next)) return;
    setDraft(next);
    const number = Number(next);
    if (next !== '' && number >= min && number <= max) onChange(number);
  };
  const settle = () => {
    if (draft !== undefined && draft !== '' && Number.isFinite(typed)) onChange(clamped(typed, min, max));
    setDraft(undefined);
  };
  return (
    <Field
      name={name}
      label={label}
      inputMode="decimal"
      value={typedAs(draft ?? value.toFixed(decimals))}
      disabled={disabled}
      end={end}
      hint={isWrong ? problem : undefined}
      onChange={(event) => change(event.target.value)}
      onBlur={settle}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        // Enter applies the number. It does not place a bet.
        event.preventDefault();
        settle();
      }}
    />
  );
}
