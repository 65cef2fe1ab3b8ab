import './filters.css';
import { useSearchParams } from 'wouter';
import { Button } from './button.tsx';
import { asChoice, type Choice } from './form/choice.tsx';
import { kit } from './words.ts';

export type FilterField = {
  name: string;
  label: string;
  type?: 'search' | 'number' | 'datetime-local' | 'date';
  /** Available choices. Codes are shown as words. */
  of?: readonly Choice[];
  /** Label of the empty option. */
  none?: string;
};

/** The sort-order filter. Use it for lists that show the newest entries first. */
export const ORDER: FilterField = {
  name: 'sortOrder',
  label: 'Order',
  of: [{ value: 'asc', label: 'Oldest first' }],
  none: 'Newest first',
};

type Values = Readonly<Record<string, string>>;

/** Stores a list's filters in the URL, so that a shared link shows the same list. When a filter changes, the first page is shown. */
export function useFilters<D extends Values>(first: D) {
  const [search, setSearch] = useSearchParams();
  const given = Object.fromEntries(search) as Values;
  const values = { ...first, ...given } as D & Values;
  const change = (changes: Values) => {
    const next = { ...given, page: '', ...changes };
    // Initial values are left out of the URL. If the user clears a filter that has an initial value, the empty value is included.
    setSearch(
      Object.fromEntries(Object.entries(next).filter(([name, value]) => value !== (first[name] ?? ''))),
    );
  };
  return {
    values,
    change,
    page: Number(values.page || 1),
    toPage: (page: number) => change({ page: String(page) }),
    /** Returns a filter in the format that the operation expects, or undefined if it is not set. */
    text: <T extends string = string>(name: string) => (values[name] || undefined) as T | undefined,
    number: (name: string) => (values[name] ? Number(values[name]) : undefined),
    flag: (name: string) => (values[name] ? values[name] === 'true' : undefined),
    moment: (name: string) => (values[name] ? new Date(values[name]).toISOString() : undefined),
  };
}

export type FiltersIn = ReturnType<typeof useFilters<Values>>;

export const YES_NO: readonly Choice[] = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];

/** The filter fields of a list. `/` focuses the first one. */
export function Filters({
  of,
  in: filters,
}: {
  of: readonly FilterField[];
  in: Pick<FiltersIn, 'values' | 'change'>;
}) {
  const { values, change } = filters;
  return (
    <search>
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          const filled = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)]);
          change(Object.fromEntries(filled));
        }}
      >
        {of.map(({ name, label, type = 'search', of: choices, none = kit.any }) => (
          // biome-ignore lint/a11y/noLabelWithoutControl: the label contains one of two possible fields
          <label key={name}>
            <span>{label}</span>
            {choices ? (
              <select
                name={name}
                value={values[name] ?? ''}
                onChange={(event) => change({ [name]: event.target.value })}
              >
                <option value="">{none}</option>
                {choices.map((choice) => {
                  const { value, label: text } = asChoice(choice);
                  return (
                    <option key={value} value={value}>
                      {text}
                    </option>
                  );
                })}
              </select>
            ) : (
              <input key={values[name]} name={name} type={type} defaultValue={values[name] ?? ''} />
            )}
          </label>
        ))}
        <Button type="submit">{kit.search}</Button>
      </form>
    </search>
  );
}
