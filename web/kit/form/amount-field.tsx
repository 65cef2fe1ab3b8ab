import { type ReactNode, use, useState } from 'react';
import { Coin } from '../amount.tsx';
import { kit } from '../words.ts';
import { asAmount, changed, problemOf, typedAs } from './amount.ts';
import { FieldProblems } from './check.ts';
import { Field, type FieldProps } from './field.tsx';

type AmountInputProps = Omit<FieldProps, 'name'> & {
  name?: string;
  /** A decimal string, or a text that is no amount. It is never converted to a number. */
  value: string;
  onChange: (value: string) => void;
  currency?: string;
  /** The most decimals of the currency. The default is 8. */
  decimals?: number | undefined;
  /** Buttons: `bet` halves and doubles, `all` takes half or all of `available`. Bets have no button for all. */
  buttons?: 'bet' | 'all';
  available?: string;
  disabled?: boolean;
  required?: boolean;
  problem?: string | undefined;
};

/**
 * An exact amount with its coin and buttons that change it. The caller keeps the value, and the field the text as it was typed. A text that
 * is no amount stays, with the reason below it.
 */
export function AmountInput(props: AmountInputProps) {
  const {
    name = 'amount',
    value,
    onChange,
    currency,
    decimals,
    buttons,
    available,
    disabled,
    ...more
  } = props;
  const [typed, setTyped] = useState('');
  const others = use(FieldProblems);
  const wrong = problemOf(value, decimals);
  const button = (label: ReactNode, name: string, next: string | undefined) => (
    <button
      type="button"
      className="button"
      aria-label={name}
      disabled={disabled || next === undefined}
      onClick={() => next !== undefined && onChange(next)}
    >
      {label}
    </button>
  );
  const field = (
    <Field
      {...more}
      name={name}
      problem={wrong ?? more.problem}
      inputMode="decimal"
      data-value={value}
      value={asAmount(typed) === value ? typed : typedAs(value)}
      disabled={disabled}
      onChange={({ target }) => {
        setTyped(target.value);
        onChange(asAmount(target.value));
      }}
      start={currency && <Coin of={currency} />}
      end={
        <>
          {buttons === 'bet' && (
            <span className="add">
              {button('½', `½ ${kit.half}`, changed(value, 'half', decimals))}
              {button('2×', `2× ${kit.double}`, changed(value, 'double', decimals))}
            </span>
          )}
          {buttons === 'all' && available !== undefined && (
            <span className="add">
              {button('50%', `50% ${kit.half}`, changed(available, 'half', decimals))}
              {button(kit.all, kit.all, available)}
            </span>
          )}
        </>
      }
    />
  );
  return (
    <FieldProblems value={wrong === undefined ? others : new Map([...others, [name, wrong]])}>
      {field}
    </FieldProblems>
  );
}

type AmountFieldProps = FieldProps &
  Omit<AmountInputProps, 'name' | 'value' | 'onChange'> & { defaultValue?: string | number };

/** An exact amount in a form, which reads it by its name as a decimal string. */
export function AmountField({ defaultValue = '', ...props }: AmountFieldProps) {
  const [value, setValue] = useState(String(defaultValue ?? ''));
  return <AmountInput {...props} value={value} onChange={setValue} />;
}
