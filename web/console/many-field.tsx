import './many-field.css';
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import { asChoice, type Choice } from '../kit/form/choice.tsx';
import { type FieldProps, Labelled } from '../kit/form/field.tsx';
import { useReset } from '../kit/form/use-reset.ts';
import { Icon } from '../kit/icon.tsx';
import { Combobox } from '../kit/pick/combobox.tsx';
import type { Option } from '../kit/pick/pick.tsx';
import { useReorder } from '../kit/reorder.ts';

type ManyProps = FieldProps & {
  /** The initial values. */
  value: readonly string[];
  /** Returns the name of a value. */
  nameOf: (value: string) => string;
  /** Finds options that match the text, which may be empty. */
  useOptions: (text: string) => readonly Option[];
  /** Lets the user change the order of the values. */
  isOrdered?: boolean;
  /** Accepts any typed text as a value, not only suggestions. */
  allowsNew?: boolean;
  /** The form is not sent while there is no value. */
  required?: boolean;
  placeholder?: string;
};

/**
 * A field with several values. They are chosen from suggestions and listed above the field. A form reads the values with `list(name)`, and
 * their displayed names with `all` and the name of the field followed by `Name`.
 */
export function ManyField(props: ManyProps) {
  const { name, label, hint, value, nameOf, useOptions } = props;
  const { isOrdered = false, allowsNew = false, required = false, placeholder = 'Add…' } = props;
  const [chosen, setChosen] = useState(value);
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  const [text, setText] = useState('');
  const options = useOptions(text.trim()).filter((option) => !chosen.includes(option.value));
  const order = useReorder(chosen, setChosen);
  const place = useRef<HTMLDivElement>(null);
  const remove = (one: string) => {
    setChosen(chosen.filter((other) => other !== one));
    // The button that had the focus is gone.
    place.current?.querySelector<HTMLElement>('input:not([type="hidden"])')?.focus();
  };
  return (
    <SuggestField
      name={name}
      label={label}
      hint={hint}
      text={text}
      options={options}
      placeholder={placeholder}
      place={place}
      value={allowsNew ? text.trim() : ''}
      isMissing={required && chosen.length === 0}
      problem={allowsNew || text.trim() === '' ? undefined : 'Choose a suggestion, or clear the text'}
      onText={setText}
      onChoose={(option) => {
        setChosen([...chosen, option.value]);
        setNames(new Map(names).set(option.value, option.text));
        setText('');
      }}
      onReset={() => {
        setChosen(value);
        setText('');
      }}
    >
      {chosen.length > 0 && (
        <ol className="chosen" aria-label={`Chosen ${label.toLowerCase()}`}>
          {chosen.map((one, at) => (
            <li key={one} className="line" {...(isOrdered && order.itemOf(one))}>
              <input type="hidden" name={name} value={one} />
              <input type="hidden" name={`${name}Name`} value={names.get(one) ?? nameOf(one)} />
              {isOrdered && <Icon name="grip-vertical" size={16} />}
              <Chosen
                name={names.get(one) ?? nameOf(one)}
                onRemove={() => remove(one)}
                {...(isOrdered && {
                  onUp: at > 0 ? () => order.step(one, -1) : null,
                  onDown: at < chosen.length - 1 ? () => order.step(one, 1) : null,
                })}
              />
            </li>
          ))}
        </ol>
      )}
    </SuggestField>
  );
}

type SuggestProps = FieldProps & {
  /** The value that a form reads. */
  value: string;
  /** The form is not sent while a required value is missing. */
  isMissing: boolean;
  /** Why the form cannot be sent with the typed text. */
  problem?: string | undefined;
  /** The typed text and the suggestions for it. */
  text: string;
  options: readonly Option[];
  placeholder: string;
  onText: (text: string) => void;
  onChoose: (option: Option) => void;
  /** The form was reset. */
  onReset: () => void;
  place?: RefObject<HTMLDivElement | null>;
  /** Shown above the text. */
  children?: ReactNode;
};

/** A labelled form field that suggests values for the typed text. */
export function SuggestField({ name, label, hint, ...props }: SuggestProps) {
  const own = useRef<HTMLDivElement>(null);
  const { value, isMissing, problem, text, options, placeholder, children, place = own } = props;
  useReset(place, props.onReset);
  return (
    <div ref={place}>
      <Labelled name={name} label={label} hint={hint}>
        {({ name: _, ...field }) => (
          <>
            <input type="hidden" name={name} value={value} data-required={isMissing} data-problem={problem} />
            {children}
            <Combobox
              field={field}
              label={label}
              value={text}
              onChange={props.onText}
              placeholder={placeholder}
              options={options}
              onChoose={props.onChoose}
            />
          </>
        )}
      </Labelled>
    </div>
  );
}

type Run = () => void;
type ChosenProps = {
  name: string;
  onRemove: Run;
  /** Moves the value. Null at the end of the list, undefined if the order does not matter. */
  onUp?: Run | null;
  onDown?: Run | null;
};

/** A chosen value, with its buttons. */
const Chosen = ({ name, onRemove, onUp, onDown }: ChosenProps) => (
  <>
    <span className="grow clip">{name}</span>
    {onUp !== undefined && <IconButton icon="chevron-up" label={`Move ${name} up`} onClick={onUp} />}
    {onDown !== undefined && <IconButton icon="chevron-down" label={`Move ${name} down`} onClick={onDown} />}
    <IconButton icon="x" label={`Remove ${name}`} onClick={onRemove} />
  </>
);

type IconButtonProps = { icon: 'chevron-up' | 'chevron-down' | 'x'; label: string; onClick: Run | null };

/** Keeps the focus while it has no effect, so that the focus is not lost when an item reaches an end of the list. */
const IconButton = ({ icon, label, onClick }: IconButtonProps) => (
  <button
    type="button"
    className="button ghost sm only-icon"
    aria-label={label}
    aria-disabled={onClick === null}
    onClick={() => onClick?.()}
  >
    <Icon name={icon} size={16} />
  </button>
);

type ChoicesProps = FieldProps & { value?: readonly string[] | undefined; choices: readonly Choice[] };

/** A field for several values from a fixed list. */
export function ChoicesField({ value = [], choices, ...field }: ChoicesProps) {
  const known = choices.map(asChoice);
  return (
    <ManyField
      {...field}
      value={value}
      nameOf={(one) => known.find((choice) => choice.value === one)?.label ?? one}
      useOptions={(text) =>
        known
          .filter((choice) => choice.label.toLocaleLowerCase().includes(text.toLocaleLowerCase()))
          .map((choice) => ({ value: choice.value, text: choice.label }))
      }
    />
  );
}
