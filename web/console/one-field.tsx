import { useState } from 'react';
import type { FieldProps } from '../kit/form/field.tsx';
import type { Option } from '../kit/pick/pick.tsx';
import { SuggestField } from './many-field.tsx';

export type OneProps = FieldProps & {
  /** The initial value. */
  value?: string | undefined;
  /** The name of the initial value. Default: the value. */
  shown?: string | undefined;
  /** Finds options that match the text. */
  useOptions: (text: string) => readonly Option[];
  /** Accepts any typed text as a value, not only suggestions. */
  allowsNew?: boolean;
  required?: boolean;
  /** Called when a suggestion is chosen, because choosing causes no input event. */
  onPick?: (() => void) | undefined;
  placeholder: string;
};

/** A field with one value that is chosen from suggestions. A form reads its name in the field `…Name`. */
export function OneField(props: OneProps) {
  const { name, label, hint, value = '', shown = value, useOptions } = props;
  const { allowsNew = false, required = false, placeholder, onPick } = props;
  const [text, setText] = useState(shown);
  const [chosen, setChosen] = useState({ value, text: shown });
  const isChosen = text === chosen.text;
  const options = useOptions(isChosen ? '' : text.trim());
  const typed = allowsNew ? text.trim() : '';
  const isKnown = isChosen || allowsNew || text.trim() === '';
  return (
    <SuggestField
      name={name}
      label={label}
      hint={hint}
      text={text}
      options={options}
      placeholder={placeholder}
      value={isChosen ? chosen.value : typed}
      isMissing={required}
      problem={isKnown ? undefined : 'Choose a suggestion, or clear the text'}
      onText={setText}
      onChoose={(option) => {
        setChosen(option);
        setText(option.text);
        onPick?.();
      }}
      onReset={() => {
        setText(shown);
        setChosen({ value, text: shown });
      }}
    >
      <input type="hidden" name={`${name}Name`} value={text.trim()} />
    </SuggestField>
  );
}
