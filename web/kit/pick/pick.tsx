import './pick.css';
import { type ReactNode, use } from 'react';
import { FieldProblems } from '../form/check.ts';
import { Icon } from '../icon.tsx';
import { Imported, lazily } from '../load.tsx';
import { kit } from '../words.ts';
import { useOpen } from './use-open.ts';

/** An option of a list. Typing searches `text`. The list shows `shown`, which defaults to `text`. */
export type Option = {
  value: string;
  text: string;
  shown?: ReactNode;
  /** At the end of the row, such as a balance. */
  note?: ReactNode;
};

/** All lists of Ariakit are one chunk. */
const List = lazily(async () => (await import('./lists.tsx')).PickList);

export type PickProps = {
  label: string;
  options: readonly Option[];
  value: string;
  onChange: (value: string) => void;
  /** Shown while no option is chosen. */
  placeholder?: string;
  hint?: ReactNode;
  /** Submits the value with a form. */
  name?: string;
  /** The form is not sent while no option is chosen. */
  required?: boolean;
  /** Hides the label for all but screen readers. */
  isLabelHidden?: boolean;
  /** The content of the button contains the label, so that it is not shown or read twice. */
  isLabelInside?: boolean;
  /** Content of the list below the options, such as switches. */
  foot?: ReactNode;
  disabled?: boolean;
  /** Replaces the content of the button. */
  children?: ReactNode;
  className?: string;
};

/**
 * A list with one chosen option. Above eight options it has a field to search in them. On phones the list is a sheet from below.
 */
export function Pick(props: PickProps) {
  const {
    label,
    options,
    value,
    onChange,
    placeholder,
    hint,
    name,
    required,
    isLabelHidden,
    isLabelInside,
    foot,
    disabled,
    children,
  } = props;
  const { isOpen, close, id, anchor, trigger } = useOpen<HTMLButtonElement>(List.preload);
  const chosen = options.find((option) => option.value === value);
  const found = use(FieldProblems).get(name ?? '');
  const problem = found === kit.wrong.missing && value !== '' ? undefined : found;
  return (
    <div className={problem ? 'field wrong' : 'field'}>
      {!isLabelInside && (
        <span id={`${id}-label`} className={isLabelHidden ? 'hidden' : 'label'}>
          {label}
        </span>
      )}
      <button
        type="button"
        className={props.className ?? 'input pick'}
        aria-haspopup="listbox"
        aria-labelledby={isLabelInside ? `${id}-value` : `${id}-label ${id}-value`}
        aria-describedby={hint || problem ? `${id}-hint` : undefined}
        disabled={disabled}
        {...trigger}
      >
        <span id={`${id}-value`} className="line clip">
          {children ?? chosen?.shown ?? chosen?.text ?? <span className="faint">{placeholder}</span>}
        </span>
        <Icon name="chevrons-up-down" size={16} />
      </button>
      {(hint || problem) && (
        <small id={`${id}-hint`} className={problem ? 'problem' : 'hint'}>
          {problem ?? hint}
        </small>
      )}
      {name && <input type="hidden" name={name} value={value} data-required={required} />}
      {isOpen && (
        <Imported>
          <List
            id={id}
            label={label}
            options={options}
            value={value}
            foot={foot}
            anchor={anchor}
            onChange={onChange}
            onClose={close}
          />
        </Imported>
      )}
    </div>
  );
}
