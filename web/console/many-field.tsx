import './many-field.css';
import { useState } from 'react';
import { asChoice, type Choice } from '../kit/form/choice.tsx';
import { type FieldProps, Labelled } from '../kit/form/field.tsx';
import { Icon } from '../kit/icon.tsx';
import { Combobox } from '../kit/pick/combobox.tsx';
import type { Option } from '../kit/pick/pick.tsx';
import { useReorder } from '../kit/reorder.ts';

type ManyProps = FieldProps & {
  /** The values at first. */
  value: readonly string[];
  /** Returns the name of a value. */
  nameOf: (value: string) => string;
  /** Finds options that fit a text, which may be empty. */
  useOptions: (text: string) => readonly Option[];
  /** Lets the user change the order of the values. */
  isOrdered?: boolean;
  /** The form is not sent while there is no value. */
  required?: boolean;
  placeholder?: string;
};

/** A field with several values. They are chosen from suggestions and listed above the field. A form reads them with `list`. */
export function ManyField(props: ManyProps) {
  const {
    name,
    label,
    value,
    nameOf,
    useOptions,
    isOrdered = false,
    required = false,
    placeholder = 'Add…',
  } = props;
  const [chosen, setChosen] = useState(value);
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  const [text, setText] = useState('');
  const options = useOptions(text.trim()).filter((option) => !chosen.includes(option.value));
  const { step, itemOf } = useReorder(chosen, setChosen);
  return (
    <Labelled {...props}>
      {({ id }) => (
        <>
          {chosen.length === 0 && <input type="hidden" name={name} value="" data-required={required} />}
          {chosen.length > 0 && (
            <ol className="chosen">
              {chosen.map((one, at) => {
                const shown = names.get(one) ?? nameOf(one);
                return (
                  <li key={one} className="line" {...(isOrdered && itemOf(one))}>
                    <input type="hidden" name={name} value={one} />
                    {isOrdered && <Icon name="grip-vertical" size={16} />}
                    <span className="grow clip">{shown}</span>
                    {isOrdered && (
                      <>
                        <IconButton
                          icon="chevron-up"
                          label={`Move ${shown} up`}
                          isOff={at === 0}
                          onClick={() => step(one, -1)}
                        />
                        <IconButton
                          icon="chevron-down"
                          label={`Move ${shown} down`}
                          isOff={at === chosen.length - 1}
                          onClick={() => step(one, 1)}
                        />
                      </>
                    )}
                    <IconButton
                      icon="x"
                      label={`Remove ${shown}`}
                      onClick={() => setChosen(chosen.filter((other) => other !== one))}
                    />
                  </li>
                );
              })}
            </ol>
          )}
          <Combobox
            id={id}
            label={label}
            value={text}
            onChange={setText}
            placeholder={placeholder}
            options={options}
            onChoose={(option) => {
              setChosen([...chosen, option.value]);
              setNames(new Map(names).set(option.value, option.text));
              setText('');
            }}
          />
        </>
      )}
    </Labelled>
  );
}

type IconButtonProps = {
  icon: 'chevron-up' | 'chevron-down' | 'x';
  label: string;
  isOff?: boolean;
  onClick: () => void;
};

/** Stays focusable while it is off, so that the focus is not lost when an item reaches an end of the list. */
const IconButton = ({ icon, label, isOff = false, onClick }: IconButtonProps) => (
  <button
    type="button"
    className="button ghost sm only-icon"
    aria-label={label}
    aria-disabled={isOff}
    onClick={onClick}
  >
    <Icon name={icon} size={16} />
  </button>
);

type ChoicesProps = FieldProps & { value?: readonly string[] | undefined; choices: readonly Choice[] };

/** A field with several of a number of known choices. */
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
