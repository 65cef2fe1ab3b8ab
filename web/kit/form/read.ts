/** Functions that read the values of a form by field name. */
export type Filled = ReturnType<typeof readerOf>;

export function readerOf(form: HTMLFormElement) {
  const data = new FormData(form);
  // An amount is shown as it was typed. Its decimal string is in `data-value`.
  for (const element of form.elements)
    if (element instanceof HTMLInputElement && element.dataset.value !== undefined && data.has(element.name))
      data.set(element.name, element.dataset.value);
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
    /** The values of all fields with this name, each of which may hold several, separated by commas or line ends. */
    list: (name: string) =>
      data
        .getAll(name)
        .flatMap((value) => String(value).split(/[\n,]/))
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

/** Formats a timestamp for a date-and-time field, in the reader's time zone. */
export function localTime(iso: string | null | undefined): string | undefined {
  if (!iso) return undefined;
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
