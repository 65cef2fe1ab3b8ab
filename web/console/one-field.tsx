import { useRef, useState } from 'react';
import { type FieldProps, Labelled } from '../kit/form/field.tsx';
import { useReset } from '../kit/form/use-reset.ts';
import { Combobox } from '../kit/pick/combobox.tsx';
import type { Option } from '../kit/pick/pick.tsx';

export type OneProps = FieldProps & {
  /** The initial value. */
  value?: string | undefined;
  /** The name of the initial value. Default: the value. */
  shown?: string | undefined;
  /** Finds options that match the text. */
  useOptions: (text: string) => readonly Option[];
  /** Any text is a value, so a typed one counts without being chosen. */
  allowsNew?: boolean;
  required?: boolean;
  placeholder: string;
};

/** A field with one value that is chosen from suggestions. A form reads its name in the field `…Name`. */
export function OneField(props: OneProps) {
  const { name, label, hint, value = '', shown = value, useOptions } = props;
  const { allowsNew = false, required = false, placeholder } = props;
  const [text, setText] = useState(shown);
  const [chosen, setChosen] = useState({ value, text: shown });
  const isChosen = text === chosen.text;
  const options = useOptions(isChosen ? '' : text.trim());
  const place = useRef<HTMLDivElement>(null);
  useReset(place, () => {
    setText(shown);
    setChosen({ value, text: shown });
  });
  const typed = allowsNew ? text.trim() : '';
  return (
    <div ref={place}>
      <Labelled name={name} label={label} hint={hint}>
        {({ name: _, ...field }) => (
          <>
            <input
              type="hidden"
              name={name}
              value={isChosen ? chosen.value : typed}
              data-required={required}
              data-problem={
                isChosen || allowsNew || text.trim() === ''
                  ? undefined
                  : 'Choose a suggestion, or clear the text'
              }
            />
            <input type="hidden" name={`${name}Name`} value={text.trim()} />
            <Combobox
              field={field}
              label={label}
              value={text}
              onChange={setText}
              placeholder={placeholder}
              options={options}
              onChoose={(option) => {
                setChosen(option);
                setText(option.text);
              }}
            />
          </>
        )}
      </Labelled>
    </div>
  );
}
