import { createContext } from 'react';
import { number } from '../intl.ts';
import { kit } from '../words.ts';

/** Problems of a form's fields, by name. */
export type Problems = ReadonlyMap<string, string>;
export const FieldProblems = createContext<Problems>(new Map());

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
const isControl = (element: Element): element is Control =>
  element.matches('input, select, textarea') && (element as Control).name !== '';

/**
 * Returns the problems of a form's fields in the language of the page. Browsers would show them one at a time, in the language of the
 * browser. A field with a `pattern` explains it in `data-format`.
 */
export function problemsIn(form: HTMLFormElement): Problems {
  const found = new Map<string, string>();
  for (const element of form.elements)
    if (isControl(element) && !found.has(element.name)) {
      const problem = element.validity.valid ? hiddenProblem(element) : problemOf(element);
      if (problem !== undefined) found.set(element.name, problem);
    }
  return found;
}

/** Browsers do not check hidden inputs, in which lists (`Pick`) keep their value. `data-problem`: a problem that the field has found itself. */
function hiddenProblem({ type, value, dataset }: Control): string | undefined {
  if (type !== 'hidden') return undefined;
  return dataset.problem ?? (dataset.required === 'true' && value === '' ? kit.wrong.missing : undefined);
}

function problemOf(control: Control): string {
  const { validity, dataset, type } = control;
  const { minLength, maxLength, min, max } = control as HTMLInputElement;
  if (validity.customError) return control.validationMessage;
  if (validity.valueMissing)
    return type === 'checkbox' || type === 'radio' ? kit.wrong.tick : kit.wrong.missing;
  if (validity.typeMismatch && type === 'email') return kit.wrong.email;
  if (validity.typeMismatch && type === 'url') return kit.wrong.url;
  if (validity.tooShort) return kit.wrong.short(minLength);
  if (validity.tooLong) return kit.wrong.long(maxLength);
  if (validity.rangeUnderflow) return kit.wrong.low(boundOf(min, type));
  if (validity.rangeOverflow) return kit.wrong.high(boundOf(max, type));
  if (validity.badInput || validity.stepMismatch) return kit.wrong.number;
  return dataset.format ?? kit.wrong.format;
}

const boundOf = (bound: string, type: string) => (type === 'number' ? number(bound, 8) : bound);

/** Moves the focus to the first field of the form that has a problem. */
export function focusFirst(form: HTMLFormElement, problems: Problems): void {
  const first = [...form.elements].find((element) => isControl(element) && problems.has(element.name));
  if (!(first instanceof HTMLElement)) return;
  const shown =
    first.getAttribute('type') === 'hidden'
      ? first.parentElement?.querySelector<HTMLElement>('button, input:not([type="hidden"])')
      : first;
  shown?.focus();
}
