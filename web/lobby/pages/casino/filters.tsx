import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import type { FiltersIn } from '../../../kit/filters.ts';
import { Icon } from '../../../kit/icon.tsx';
import { number } from '../../../kit/intl.ts';
import { FilterPick } from '../../../kit/pick/filter-pick.tsx';
import { useLater } from '../../../kit/use-later.ts';
import { type Category, useAllProviders, useCategories } from '../../catalogue.ts';
import { words } from '../../words.ts';

export type Order = keyof typeof words.catalogue.orders;

type GameFiltersProps = {
  in: FiltersIn;
  /** Available orders. The first one is that of the list without a choice. */
  orders: readonly Order[];
  /** Limits the providers to those with games of this category. */
  category?: Category | undefined;
  hasCategories?: boolean;
  hasProviders?: boolean;
};

/** Filters of a list of games. They are stored in the address and apply as they are set. */
export function GameFilters({
  in: filters,
  orders,
  category,
  hasCategories,
  hasProviders,
}: GameFiltersProps) {
  const { values, change } = filters;
  const t = words.catalogue;
  const first = orders[0]!;
  const isSet = ['name', 'category', 'providerId'].some((name) => values[name]);
  return (
    <search className="filter-bar">
      <NameField value={values.name ?? ''} onChange={(name) => change({ name })} />
      {hasCategories && (
        <CategoryPick value={values.category ?? ''} onChange={(of) => change({ category: of })} />
      )}
      {hasProviders && (
        <ProviderPick
          category={category}
          value={values.providerId ?? ''}
          onChange={(providerId) => change({ providerId })}
        />
      )}
      <FilterPick
        name={t.order}
        options={orders.map((value) => ({ value, text: t.orders[value] }))}
        value={values.sort || first}
        first={first}
        onChange={(sort) => change({ sort: sort === first ? '' : sort })}
      />
      {isSet && (
        <Button
          kind="ghost"
          size="sm"
          icon="x"
          onClick={() => change({ name: '', category: '', providerId: '' })}
        >
          {t.clear}
        </Button>
      )}
    </search>
  );
}

/** A part of the name. It applies a moment after the last key. */
function NameField({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  const [text, setText] = useState(value);
  const later = useLater(text.trim());
  const sent = useRef(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed changes the address
  useEffect(() => {
    if (later === sent.current) return;
    sent.current = later;
    onChange(later);
  }, [later]);
  // The address also changes without typing, with Back or when all filters are cleared.
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  return (
    <label className="input">
      <Icon name="search" size={16} />
      <input
        type="search"
        value={text}
        aria-label={words.catalogue.search}
        placeholder={words.catalogue.search}
        onChange={(event) => setText(event.target.value)}
      />
    </label>
  );
}

type PickedProps = { value: string; onChange: (value: string) => void };

function CategoryPick(props: PickedProps) {
  const { data = [] } = useCategories();
  const t = words.catalogue;
  return (
    <FilterPick
      {...props}
      name={t.category}
      options={data.map(({ category, gamesCount }) => ({
        value: category,
        text: t.categories[category],
        note: <span className="faint">{number(gamesCount)}</span>,
      }))}
    />
  );
}

function ProviderPick({ category, ...props }: PickedProps & { category: Category | undefined }) {
  const { data } = useAllProviders(category);
  return (
    <FilterPick
      {...props}
      name={words.catalogue.provider}
      options={(data ?? []).map(({ id, name }) => ({ value: String(id), text: name }))}
    />
  );
}
