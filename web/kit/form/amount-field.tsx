import { type ReactNode, useState } from 'react';
import { Coin } from '../amount.tsx';
import { kit } from '../words.ts';
import { asAmount, changed, TYPED, typedAs } from './amount.ts';
import { Field, type FieldProps } from './field.tsx';

type AmountInputProps = Omit<FieldProps, 'name'> & {
  name?: string;
  /** A decimal string. It is never converted to a number. */
  value: string;
  onChange: (value: string) => void;
  currency?: string;
  /** Buttons: `bet` halves and doubles, `all` takes half or all of `available`. Bets have no button for all. */
  buttons?: 'bet' | 'all';
  available?: string;
  disabled?: boolean;
  required?: boolean;
  problem?: string | undefined;
};

/** An exact amount with its coin and buttons that change it. The caller keeps the value. */
export function AmountInput(props: AmountInputProps) {
  const { name = 'amount', value, onChange, currency, buttons, available, disabled, ...more } = props;
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
  return (
    <Field
      {...more}
      name={name}
      inputMode="decimal"
      pattern={TYPED}
      data-format={kit.wrong.amount}
      value={typedAs(value)}
      disabled={disabled}
      onChange={(event) => onChange(asAmount(event.target.value))}
      start={currency && <Coin of={currency} />}
      end={
        <>
          {buttons === 'bet' && (
            <span className="add">
              {button('½', `½ ${kit.half}`, changed(value, 'half'))}
              {button('2×', `2× ${kit.double}`, changed(value, 'double'))}
            </span>
          )}
          {buttons === 'all' && available !== undefined && (
            <span className="add">
              {button('50%', `50% ${kit.half}`, changed(available, 'half'))}
              {button(kit.all, kit.all, available)}
            </span>
          )}
        </>
      }
    />
  );
}

type AmountFieldProps = FieldProps &
  Omit<AmountInputProps, 'name' | 'value' | 'onChange'> & { defaultValue?: string | number };

/** An exact amount in a form, which reads it by its name, and its value with `asAmount` if the page may have another decimal sign. */
export function AmountField({ defaultValue = '', ...props }: AmountFieldProps) {
  const [value, setValue] = useState(String(defaultValue ?? ''));
  return <AmountInput {...props} value={value} onChange={setValue} />;
}
