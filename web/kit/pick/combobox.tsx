import './pick.css';
import { type ReactNode, startTransition, useState } from 'react';
import type { FieldIds } from '../form/field.tsx';
import { Icon, type IconName } from '../icon.tsx';
import { Imported, lazily } from '../load.tsx';
import type { Option } from './pick.tsx';

const Suggestions = lazily(async () => (await import('./lists.tsx')).Suggestions);

type ComboboxProps = {
  /** Connects the field with a visible label, and with a hint or an error. */
  field?: Omit<FieldIds, 'name'>;
  label: string;
  value: string;
  onChange: (text: string) => void;
  /** Options that fit the text. The caller finds them, for example by a request. */
  options: readonly Option[];
  onChoose: (option: Option) => void;
  icon?: IconName;
  placeholder?: string;
  empty?: ReactNode;
};

/** A field that suggests options while the user types. */
export function Combobox({
  field,
  label,
  value,
  onChange,
  options,
  onChoose,
  icon = 'search',
  placeholder,
  empty,
}: ComboboxProps) {
  const [isLoaded, setLoaded] = useState(false);
  const plain = (
    <input
      {...field}
      aria-label={label}
      value={value}
      placeholder={placeholder}
      autoComplete="off"
      // A transition keeps this field until the suggestions are loaded, so that no letter is lost.
      onFocus={() => startTransition(() => setLoaded(true))}
      onChange={(event) => onChange(event.target.value)}
    />
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter chooses a suggestion; without one, it must not send the form
    <div className="input" onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}>
      <Icon name={icon} size={16} />
      <Imported>
        {isLoaded ? (
          <Suggestions
            field={field}
            label={label}
            value={value}
            onChange={onChange}
            options={options}
            onChoose={onChoose}
            placeholder={placeholder}
            empty={empty}
          />
        ) : (
          plain
        )}
      </Imported>
    </div>
  );
}
