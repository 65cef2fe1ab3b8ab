import '../form/choice.css';
import { kit } from '../words.ts';
import { type Option, Pick } from './pick.tsx';

type FilterPickProps = {
  name: string;
  options: readonly Option[];
  /** The chosen value. An empty one means all. */
  value: string;
  onChange: (value: string) => void;
  /** The value that counts as no filter, for orders. Without it the list has an option for all. */
  first?: string;
};

/** A chip with the name and value of a filter. It opens the list of values, and applies the chosen one immediately. */
export function FilterPick({ name, options, value, onChange, first }: FilterPickProps) {
  const all = first === undefined ? [{ value: '', text: kit.any }, ...options] : options;
  const chosen = all.find((option) => option.value === value);
  const isSet = value !== (first ?? '');
  const hasValue = isSet || first !== undefined;
  return (
    <Pick
      label={name}
      isLabelInside
      options={all}
      value={value}
      onChange={onChange}
      className={isSet ? 'chip set' : 'chip add'}
    >
      <span className={isSet ? 'dim' : undefined}>{name}</span>{' '}
      {hasValue && <strong className="clip">{chosen?.text ?? value}</strong>}
    </Pick>
  );
}
