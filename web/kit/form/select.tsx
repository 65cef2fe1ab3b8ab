import { type ReactNode, useRef, useState } from 'react';
import { Pick } from '../pick/pick.tsx';
import { asChoice, type Choice } from './choice.tsx';
import { useReset } from './use-reset.ts';

type SelectProps = {
  name: string;
  label: string;
  of: readonly Choice[];
  /** Text of the empty option. Without it one of the others is always chosen. */
  none?: string;
  hint?: ReactNode;
  defaultValue?: string | undefined;
  /** Makes the caller keep the value. */
  value?: string;
  onChange?: (value: string) => void;
  required?: boolean;
  disabled?: boolean;
};

/** A list of choices in a form. Codes are shown as words. Resetting the form restores the first value. */
export function Select({ of, none, defaultValue, value, onChange, ...more }: SelectProps) {
  const place = useRef<HTMLDivElement>(null);
  const options = [...(none === undefined ? [] : [{ value: '', label: none }]), ...of.map(asChoice)];
  const first = defaultValue ?? (none === undefined ? (options[0]?.value ?? '') : '');
  const [own, setOwn] = useState(first);
  useReset(place, () => setOwn(first));
  return (
    <div ref={place}>
      <Pick
        {...more}
        options={options.map((option) => ({ value: option.value, text: option.label }))}
        value={value ?? own}
        onChange={(chosen) => {
          setOwn(chosen);
          onChange?.(chosen);
        }}
      />
    </div>
  );
}
