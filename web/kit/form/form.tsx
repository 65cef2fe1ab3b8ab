import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Answer, Input, Op, Refused } from '../../../client/call.ts';
import { Button } from '../button.tsx';
import { CancelButton, Dialog } from '../dialog.tsx';
import { Refusal } from '../note.tsx';
import type { Act } from '../query.ts';
import { kit } from '../words.ts';
import { FieldProblems, focusFirst, type Problems, problemsIn } from './check.ts';
import { type Filled, readerOf } from './read.ts';

type FieldsProps = {
  refused: Refused | undefined;
  /** Maps an error code to the names of its fields, separated by spaces. Used for errors in which the server names no field. */
  fieldOf?: Readonly<Record<string, string>>;
  /** Called when all fields are valid. */
  onSend: (filled: Filled, form: HTMLFormElement) => void;
  className?: string;
  children: ReactNode;
};

/**
 * A form that shows the problems of its fields next to them, both those that it finds itself and those that the server returns, and moves
 * the focus to the first one. Any other error is shown above the fields. The entered values stay. It handles the `submit` event itself,
 * because a React action would clear the fields even after an error.
 */
export function Fields({ refused, fieldOf = {}, onSend, className = 'form', children }: FieldsProps) {
  const form = useRef<HTMLFormElement>(null);
  const [own, setOwn] = useState<Problems>(new Map());
  const { here, others } = placed(refused, form.current, fieldOf);
  const wrong = useRef(here);
  wrong.current = here;
  useEffect(() => {
    if (refused && form.current) focusFirst(form.current, wrong.current);
  }, [refused]);
  return (
    <form
      ref={form}
      className={className}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const found = problemsIn(event.currentTarget);
        setOwn(found);
        if (found.size > 0) focusFirst(event.currentTarget, found);
        else onSend(readerOf(event.currentTarget), event.currentTarget);
      }}
      // A problem disappears as soon as its field is changed.
      onInput={({ target }) => {
        const name = nameOf(target as HTMLInputElement);
        if (own.has(name)) setOwn(new Map([...own].filter(([one]) => one !== name)));
      }}
    >
      {refused && others && <Refusal of={refused} fields={others} />}
      <FieldProblems value={own.size > 0 ? own : here}>{children}</FieldProblems>
    </form>
  );
}

/** The name of a field. A list keeps its value in a hidden input next to the field in which the user types. */
const nameOf = (typed: HTMLInputElement): string =>
  typed.name ||
  (typed.closest('.field')?.querySelector<HTMLInputElement>('input[type="hidden"]')?.name ?? '');

type FormProps<O extends Op> = {
  act: Act<O>;
  /** Builds the input of the operation from the form's values. */
  input: (filled: Filled) => Input<O>;
  submit?: string;
  /** Question to confirm before the form is sent. */
  confirm?: string;
  /** Describes the change, below the question. `filled`: the values from which the input was built. */
  tells?: (input: Input<O>, filled: Filled) => ReactNode;
  kind?: 'main' | 'danger';
  onDone?: (answer: Answer<O>) => void;
  /** Clears the fields after success. */
  isEmptied?: boolean;
  children?: ReactNode;
};

/** A form that runs an operation. */
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
    tells,
  } = props;
  const [asked, setAsked] = useState<{ what: Input<O>; filled: Filled; form: HTMLFormElement }>();
  const send = async (what: Input<O>, form: HTMLFormElement) => {
    setAsked(undefined);
    // Empties the fields before the success is shown. Emptying them later would clear what the user has typed since.
    const done = await act.run(what, () => isEmptied && form.reset());
    if (done) onDone?.(done.answer);
  };
  return (
    <Fields
      refused={act.refused}
      onSend={(filled, form) => {
        const what = input(filled);
        if (confirm) setAsked({ what, filled, form });
        else void send(what, form);
      }}
    >
      {children}
      <div className="actions">
        <CancelButton />
        <Button type="submit" kind={kind} op={act.op} isBusy={act.isBusy}>
          {submit}
        </Button>
      </div>
      {asked && (
        <Dialog
          title={confirm!}
          onClose={() => setAsked(undefined)}
          foot={
            <>
              <Button onClick={() => setAsked(undefined)}>{kit.cancel}</Button>
              <Button kind={kind} onClick={() => void send(asked.what, asked.form)}>
                {submit}
              </Button>
            </>
          }
        >
          {tells?.(asked.what, asked.filled)}
        </Dialog>
      )}
    </Fields>
  );
}

type Wrong = readonly { path: string; message: string }[];

/**
 * Assigns field errors to the form's fields. `others`: errors that belong to no field and are shown above the form, or undefined if there
 * are none.
 */
function placed(
  refused: Refused | undefined,
  form: HTMLFormElement | null,
  fieldOf: Readonly<Record<string, string>>,
): { here: Problems; others: Wrong | undefined } {
  const own = (refused && fieldOf[refused.code])?.split(' ').filter((name) => form?.elements.namedItem(name));
  if (own?.length)
    return { here: new Map(own.map((name) => [name, kit.refusal(refused!)])), others: undefined };
  const fields = refused?.fields ?? [];
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
    if (name !== undefined) here.set(name, `${labelOf(form?.elements.namedItem(name))}${message}`);
    return name === undefined;
  });
  return { here, others: fields.length === 0 || others.length > 0 ? others : undefined };
}

/** Returns the label of a field, because messages of the server begin with its name, which they leave out. */
function labelOf(field: Element | RadioNodeList | null | undefined): string {
  const label =
    field instanceof HTMLElement && 'labels' in field ? (field as HTMLInputElement).labels?.[0] : undefined;
  return label ? `${label.textContent} ` : '';
}
