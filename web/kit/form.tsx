import { type ComponentProps, createContext, type ReactNode, use, useId, useRef, useState } from 'react';
import type { Answer, Input, Op, Refused } from '../../client/call.ts';
import { Dialog } from './dialog.tsx';
import { Refusal, words } from './page.tsx';
import { hasPasskeys, provePasskey } from './passkey.ts';
import type { Act } from './query.ts';
import { Button } from './session.tsx';
import { kit } from './words.ts';

/** Functions that read the values of a form by field name. */
export type Filled = ReturnType<typeof readerOf>;

function readerOf(data: FormData) {
  const raw = (name: string) => data.get(name);
  const text = (name: string) => String(raw(name) ?? '').trim();
  return {
    text,
    /** Returns the value without trimming it. Use it for passwords. */
    exact: (name: string) => String(raw(name) ?? ''),
    /** Returns undefined if the field is empty. */
    optional: (name: string) => text(name) || undefined,
    /** Returns null if the field is empty. Null removes the setting. */
    orNull: (name: string) => text(name) || null,
    number: (name: string) => Number(text(name)),
    optionalNumber: (name: string) => (text(name) === '' ? undefined : Number(text(name))),
    flag: (name: string) => raw(name) !== null,
    all: (name: string) => data.getAll(name).map(String),
    /** Words or lines, separated by commas or line ends. */
    list: (name: string) =>
      text(name)
        .split(/[\n,]/)
        .map((one) => one.trim())
        .filter(Boolean),
    /** Lines with a name and a value, such as `slots 50`. */
    pairs: (name: string) =>
      text(name)
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => [line.replace(/[\s:=]+\S*\s*$/, '').trim(), /\S*$/.exec(line.trim())![0]] as const),
    /** Value of a date-and-time field, in UTC. */
    moment: (name: string) => (text(name) === '' ? undefined : new Date(text(name)).toISOString()),
    /** Rows of a table of fields (`Rows`), each as an object by column name. */
    rows: (name: string, columns: readonly string[]): Record<string, string>[] => {
      const found: Record<string, string>[] = [];
      while (data.has(`${name}.${found.length}.${columns[0]}`))
        found.push(Object.fromEntries(columns.map((one) => [one, text(`${name}.${found.length}.${one}`)])));
      return found;
    },
    file: (name: string) => {
      const file = raw(name);
      return file instanceof File && file.size > 0 ? file : undefined;
    },
  };
}

type Problems = ReadonlyMap<string, string>;
const Refusals = createContext<Problems>(new Map());

type FormProps<O extends Op> = {
  act: Act<O>;
  /** Builds the input of the operation from the form's values. */
  input: (filled: Filled) => Input<O>;
  submit?: string;
  /** Question to confirm before the form is sent. */
  confirm?: string;
  /** Text below the question that describes the change. */
  tells?: (input: Input<O>) => ReactNode;
  kind?: 'main' | 'danger';
  onDone?: (answer: Answer<O>) => void;
  /** Clears the fields after success. */
  isEmptied?: boolean;
  children?: ReactNode;
};

/**
 * Sends the form. Shows field errors next to their fields and any other error above the form, and keeps the entered values. It handles the
 * `submit` event itself, because a React action would clear the fields even after an error.
 */
export function Form<O extends Op>(props: FormProps<O>) {
  const {
    act,
    input,
    submit = kit.save,
    confirm,
    kind = 'main',
    onDone,
    isEmptied = false,
    children,
  } = props;
  const { tells } = props;
  const [asked, setAsked] = useState<Input<O>>();
  const form = useRef<HTMLFormElement>(null);
  const send = async (what: Input<O>) => {
    setAsked(undefined);
    const done = await act.run(what);
    if (!done) return;
    if (isEmptied) form.current?.reset();
    onDone?.(done.answer);
  };
  const { here, others } = placed(act, form.current);
  return (
    <form
      ref={form}
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        const what = input(readerOf(new FormData(event.currentTarget)));
        if (confirm) setAsked(what);
        else void send(what);
      }}
    >
      {act.refused && others && <Refusal of={act.refused} fields={others} />}
      <Refusals value={here}>{children}</Refusals>
      <div className="actions">
        <Button type="submit" kind={kind} op={act.op} isBusy={act.isBusy}>
          {submit}
        </Button>
      </div>
      {asked && (
        <Dialog title={confirm!} onClose={() => setAsked(undefined)}>
          {tells?.(asked)}
          <div className="actions">
            <Button onClick={() => setAsked(undefined)}>{kit.cancel}</Button>
            <Button kind={kind} onClick={() => void send(asked)}>
              {submit}
            </Button>
          </div>
        </Dialog>
      )}
    </form>
  );
}

type Wrong = readonly { path: string; message: string }[];

/**
 * Assigns field errors to the form's fields. `others`: errors that belong to no field and are shown above the form, or undefined if there
 * are none.
 */
function placed(
  act: Pick<Act<Op>, 'refused'>,
  form: HTMLFormElement | null,
): { here: Problems; others: Wrong | undefined } {
  const fields = act.refused?.fields ?? [];
  // An error at `prizes.0.usdAmount` belongs to the field with that name. If there is no such field, it belongs to the field `prizes`,
  // which contains all prizes.
  const nameOf = (path: string) => {
    const parts = path.split('.');
    const tails = parts.map((_, at) => parts.slice(at).join('.'));
    return [...tails, ...parts.toReversed()].find((name) => name !== '' && form?.elements.namedItem(name));
  };
  const here = new Map<string, string>();
  const others = fields.filter(({ path, message }) => {
    const name = nameOf(path);
    if (name !== undefined) here.set(name, message);
    return name === undefined;
  });
  return { here, others: fields.length === 0 || others.length > 0 ? others : undefined };
}

type FieldProps = {
  name: string;
  label: string;
  hint?: ReactNode;
};

/** Renders a label, a field and the field's error. */
function Labelled({ name, label, hint, children }: FieldProps & { children: (ids: FieldIds) => ReactNode }) {
  const id = useId();
  const problem = use(Refusals).get(name);
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ') || undefined;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, name, 'aria-describedby': described, 'aria-invalid': problem ? true : undefined })}
      {hint && (
        <small id={`${id}-hint`} className="dim">
          {hint}
        </small>
      )}
      {problem && (
        <small id={`${id}-problem`} className="problem">
          {label} {problem}
        </small>
      )}
    </div>
  );
}

type FieldIds = {
  id: string;
  name: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
};

export function Field({ name, label, hint, ...more }: FieldProps & Omit<ComponentProps<'input'>, 'name'>) {
  return (
    <Labelled name={name} label={label} hint={hint}>
      {(ids) => <input autoComplete="off" {...more} {...ids} />}
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
        <button type="button" className="quiet" onClick={() => provePasskey().then(fill, setRefused)}>
          {kit.usePasskey}
        </button>
      )}
      {refused && <Refusal of={refused} />}
    </>
  );
}

/** An exact amount. It is kept as text and never converted to a number. */
export const AmountField = (props: FieldProps & Omit<ComponentProps<'input'>, 'name'>) => (
  <Field inputMode="decimal" pattern="(0|[1-9][0-9]{0,11})(\.[0-9]{1,18})?" {...props} />
);

export function TextArea({
  name,
  label,
  hint,
  ...more
}: FieldProps & Omit<ComponentProps<'textarea'>, 'name'>) {
  return (
    <Labelled name={name} label={label} hint={hint}>
      {(ids) => <textarea rows={4} {...more} {...ids} />}
    </Labelled>
  );
}

export type Choice = string | { value: string; label: string };
/** Returns a choice as value and label. A code is labelled with its words. */
export const asChoice = (choice: Choice) =>
  typeof choice === 'string' ? { value: choice, label: words(choice) } : choice;

type SelectProps = FieldProps & { of: readonly Choice[]; none?: string } & Omit<
    ComponentProps<'select'>,
    'name' | 'children'
  >;

/** `none`: label of the empty option. Without `none` one of the other options is always selected. */
export function Select({ name, label, hint, of, none, ...more }: SelectProps) {
  return (
    <Labelled name={name} label={label} hint={hint}>
      {(ids) => (
        <select {...more} {...ids}>
          {none !== undefined && <option value="">{none}</option>}
          {of.map(asChoice).map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

export function Check({ name, label, ...more }: FieldProps & Omit<ComponentProps<'input'>, 'name'>) {
  const id = useId();
  return (
    <div className="check">
      <input type="checkbox" id={id} name={name} {...more} />
      <label htmlFor={id}>{label}</label>
    </div>
  );
}

/** A group of related fields. */
export const Group = ({ label, children }: { label: string; children: ReactNode }) => (
  <fieldset>
    <legend>{label}</legend>
    <div className="group">{children}</div>
  </fieldset>
);

/** Formats a timestamp for a date-and-time field, in the reader's time zone. */
export function localTime(iso: string | null | undefined): string | undefined {
  if (!iso) return undefined;
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** A group of checkboxes with one name. The user can select several. */
export function Checks({
  name,
  label,
  of,
  chosen = [],
}: FieldProps & { of: readonly Choice[]; chosen?: readonly string[] }) {
  return (
    <fieldset>
      <legend>{label}</legend>
      <div className="checks">
        {of.map(asChoice).map(({ value, label: text }) => (
          <Check key={value} name={name} label={text} value={value} defaultChecked={chosen.includes(value)} />
        ))}
      </div>
    </fieldset>
  );
}

/** A button that runs one operation without fields. */
export function ActButton<O extends Op>(props: {
  act: Act<O>;
  input: Input<O>;
  confirm?: string;
  kind?: 'main' | 'danger' | 'quiet';
  children: ReactNode;
}) {
  const { act, input, confirm, kind, children } = props;
  const [isAsked, setAsked] = useState(false);
  const send = () => {
    setAsked(false);
    void act.run(input);
  };
  return (
    <>
      <Button
        op={act.op}
        isBusy={act.isBusy}
        onClick={confirm ? () => setAsked(true) : send}
        {...(kind ? { kind } : {})}
      >
        {children}
      </Button>
      {act.refused && (
        <Dialog title={kit.refused} onClose={act.forget}>
          <Refusal of={act.refused} />
        </Dialog>
      )}
      {isAsked && (
        <Dialog title={confirm!} onClose={() => setAsked(false)}>
          <div className="actions">
            <Button onClick={() => setAsked(false)}>{kit.cancel}</Button>
            <Button kind={kind === 'danger' ? 'danger' : 'main'} onClick={send}>
              {children}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
