import './field.css';
import { type ComponentProps, type ReactNode, use, useId, useRef, useState } from 'react';
import type { Refused } from '../../../client/call.ts';
import { Button } from '../button.tsx';
import { Icon, type IconName } from '../icon.tsx';
import { Refusal } from '../note.tsx';
import { hasPasskeys, provePasskey } from '../passkey.ts';
import { kit } from '../words.ts';
import { FieldProblems } from './check.ts';

export type FieldProps = {
  name: string;
  label: string;
  /** Below the field. An error replaces it. */
  hint?: ReactNode;
  /** At the end of the label's line, such as the worth of an amount. */
  right?: ReactNode;
};

export type FieldIds = {
  id: string;
  name: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
};

/** A label with its value, a field, and its hint or error. */
export function Labelled(props: FieldProps & { children: (ids: FieldIds) => ReactNode }) {
  const { name, label, hint, right, children } = props;
  const id = useId();
  const problem = use(FieldProblems).get(name);
  const isDescribed = problem !== undefined || hint !== undefined;
  return (
    <div className={problem ? 'field wrong' : 'field'}>
      <div className="label">
        <label htmlFor={id}>{label}</label>
        {right !== undefined && <span>{right}</span>}
      </div>
      {children({
        id,
        name,
        'aria-describedby': isDescribed ? `${id}-hint` : undefined,
        'aria-invalid': problem ? true : undefined,
      })}
      {isDescribed && (
        <small id={`${id}-hint`} className={problem ? 'problem' : 'hint'}>
          {problem ?? hint}
        </small>
      )}
    </div>
  );
}

type TextProps = FieldProps &
  Omit<ComponentProps<'input'>, 'name'> & {
    icon?: IconName;
    /** Before the input, within its border: a coin. */
    start?: ReactNode;
    /** After the input, within its border: buttons or a unit. */
    end?: ReactNode;
    /** A problem that the caller found in the value. The form shows it and is not sent while there is one. */
    problem?: string | undefined;
  };

/** One line of text. */
export function Field({ name, label, hint, right, icon, start, end, problem, ...more }: TextProps) {
  const isChecked = useRef(false);
  isChecked.current ||= problem !== undefined;
  const check = (input: HTMLInputElement | null) => input?.setCustomValidity(problem ?? '');
  return (
    <Labelled name={name} label={label} hint={hint} right={right}>
      {(ids) => (
        <span className="input">
          {icon && <Icon name={icon} size={16} />}
          {start}
          <input autoComplete="off" {...more} {...ids} {...(isChecked.current && { ref: check })} />
          {end}
        </span>
      )}
    </Labelled>
  );
}

/** A password with a button that shows it. */
export function PasswordField(props: TextProps) {
  const [isShown, setShown] = useState(false);
  return (
    <Field
      icon="lock"
      {...props}
      type={isShown ? 'text' : 'password'}
      end={
        <Button
          kind="ghost"
          size="sm"
          icon={isShown ? 'eye-off' : 'eye'}
          aria-label={isShown ? kit.hidePassword : kit.showPassword}
          onClick={() => setShown(!isShown)}
        />
      }
    />
  );
}

export function TextArea({
  name,
  label,
  hint,
  right,
  ...more
}: FieldProps & Omit<ComponentProps<'textarea'>, 'name'>) {
  return (
    <Labelled name={name} label={label} hint={hint} right={right}>
      {(ids) => (
        <span className="input area">
          <textarea rows={4} {...more} {...ids} />
        </span>
      )}
    </Labelled>
  );
}

/** The second-factor code. The user types it, or uses a passkey instead. */
export function CodeField({ label }: { label: string }) {
  const field = useRef<HTMLInputElement>(null);
  const [refused, setRefused] = useState<Refused>();
  const fill = (code: string) => {
    field.current!.value = code;
  };
  return (
    <>
      <Field ref={field} name="mfaCode" label={label} autoComplete="one-time-code" required />
      {hasPasskeys && (
        <button type="button" className="link" onClick={() => provePasskey().then(fill, setRefused)}>
          {kit.usePasskey}
        </button>
      )}
      {refused && <Refusal of={refused} />}
    </>
  );
}

/** A group of related fields. */
export const Group = ({ label, children }: { label: string; children: ReactNode }) => (
  <fieldset className="boxed">
    <legend>{label}</legend>
    <div className="group">{children}</div>
  </fieldset>
);
