import './choice.css';
import { type ReactNode, useId } from 'react';

type SegmentedProps<T extends string> = {
  /** The name of the group, read by screen readers. */
  label: string;
  of: Readonly<Record<T, ReactNode>>;
  value: T;
  onChange: (value: T) => void;
  disabled?: boolean;
};

/** Two to four options, of which one is selected. */
export function Segmented<T extends string>({ label, of, value, onChange, disabled }: SegmentedProps<T>) {
  const name = useId();
  return (
    <fieldset className="segmented" disabled={disabled}>
      <legend className="hidden">{label}</legend>
      {(Object.entries(of) as [T, ReactNode][]).map(([key, text]) => (
        <label key={key}>
          <input
            type="radio"
            className="hidden"
            name={name}
            value={key}
            checked={key === value}
            onChange={() => onChange(key)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

type SwitchProps = { label: ReactNode; isOn: boolean; onChange: (isOn: boolean) => void; disabled?: boolean };

/** A setting that applies immediately. */
export function Switch({ label, isOn, onChange, disabled }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      className="switch"
      aria-checked={isOn}
      disabled={disabled}
      onClick={() => onChange(!isOn)}
    >
      <span className="grow">{label}</span>
      <i />
    </button>
  );
}

type ChipProps = {
  /** The name of a filter. */
  name?: string;
  children?: ReactNode;
  /** `add`: a filter that can be added. `set`: one that is set. */
  kind?: 'add' | 'set';
  onClick?: () => void;
  onRemove?: () => void;
};

/** A filter or a short choice. Backspace removes a filter that is set. */
export function Chip({ name, children, kind, onClick, onRemove }: ChipProps) {
  return (
    <button
      type="button"
      className={kind ? `chip ${kind}` : 'chip'}
      aria-pressed={kind === 'set'}
      onClick={onClick ?? onRemove}
      onKeyDown={(event) => (event.key === 'Backspace' || event.key === 'Delete') && onRemove?.()}
    >
      {name && <span className="dim">{name}</span>}
      {children !== undefined && <span>{children}</span>}
      {onRemove && <span aria-hidden="true">×</span>}
    </button>
  );
}
