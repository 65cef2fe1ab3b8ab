import { useId } from 'react';
import { Icon, type IconName } from '../../../kit/icon.tsx';

type OptionsProps<T extends string> = {
  label: string;
  of: readonly { value: T; text: string; icon?: IconName }[];
  value: T | undefined;
  onChange: (value: T) => void;
};

/** Two to six choices as cards, for texts that are too long for one line of `Segmented`. */
export function Options<T extends string>({ label, of, value, onChange }: OptionsProps<T>) {
  const name = useId();
  return (
    <fieldset className={of.length === 3 ? 'options three' : 'options'}>
      <legend>{label}</legend>
      <div>
        {of.map((one) => (
          <label key={one.value}>
            <input
              type="radio"
              className="hidden"
              name={name}
              value={one.value}
              checked={one.value === value}
              onChange={() => onChange(one.value)}
            />
            {one.icon && <Icon name={one.icon} />}
            {one.text}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
