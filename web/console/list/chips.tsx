import { useEffect, useRef, useState } from 'react';
import { type FiltersIn, momentIn, type Values } from '../../kit/filters.ts';
import { asChoice } from '../../kit/form/choice.tsx';
import { Field } from '../../kit/form/field.tsx';
import { Icon } from '../../kit/icon.tsx';
import { date, moment } from '../../kit/intl.ts';
import { FilterPick } from '../../kit/pick/filter-pick.tsx';
import { Menu } from '../../kit/pick/menu.tsx';
import { Popover } from '../../kit/popover.tsx';
import { usePlayerName } from '../player-name.ts';
import { PlayerPick } from '../player-pick.tsx';
import type { Choices, Filter } from './spec.ts';

/** Filters that are shown although they are not set. The others are in the menu “More”. */
const SHOWN = 3;
/** The time in which a closed menu returns the focus. */
const FOCUS_MS = 100;
/** A typed filter applies after this pause. */
const TYPED_MS = 200;

type ChipsProps = {
  of: readonly Filter[];
  in: Pick<FiltersIn, 'values' | 'change'>;
  /** Filters at first. “Clear” restores them. */
  initial?: Values;
  /** A filter outside the chips that “Clear” restores, too. */
  search?: string | undefined;
  canClear?: boolean;
};

/** The filters of a list as chips. Each opens its control, and applies as it is changed. */
export function Chips({ of: all, in: filters, initial = {}, search, canClear = false }: ChipsProps) {
  const { values, change } = filters;
  const [added, setAdded] = useState<string>();
  const isSet = (filter: Filter) => namesOf(filter).some((name) => values[name]);
  const shown = all.filter((filter, at) => at < SHOWN || isSet(filter) || filter.name === added);
  const more = all.filter((filter) => !shown.includes(filter));
  const clear = () => {
    const names = [...(search === undefined ? [] : [search]), ...all.flatMap(namesOf)];
    change(Object.fromEntries(names.map((name) => [name, initial[name] ?? ''])));
  };
  // The menu returns the focus to its button first, which would close the popover of the new chip.
  const add = (name: string) => setTimeout(() => setAdded(name), FOCUS_MS);
  return (
    <>
      {shown.map((filter) => (
        <FilterChip
          key={filter.name}
          of={filter}
          isNew={filter.name === added}
          isSet={isSet(filter)}
          values={values}
          change={change}
        />
      ))}
      {more.length > 0 && (
        <Menu
          label="More filters"
          className="chip add"
          entries={more.map(({ name, label }) => ({ text: label, run: () => add(name) }))}
        >
          <Icon name="plus" size={14} />
          More
        </Menu>
      )}
      {canClear && (
        <button type="button" className="link" onClick={clear}>
          Clear
        </button>
      )}
    </>
  );
}

const namesOf = (filter: Filter) => ('to' in filter ? [filter.name, filter.to] : [filter.name]);

type ChipProps = Pick<FiltersIn, 'values' | 'change'> & {
  of: Filter;
  isSet: boolean;
  /** The chip was added from the menu, so it gets the focus. */
  isNew: boolean;
};

function FilterChip({ of: filter, isSet, isNew, values, change }: ChipProps) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (isNew) place.current?.querySelector('button')?.focus();
  }, [isNew]);
  const remove = () => change(Object.fromEntries(namesOf(filter).map((name) => [name, ''])));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Backspace reaches it from the buttons within
    <span
      ref={place}
      className={isSet ? 'filter-chip set' : 'filter-chip'}
      onKeyDown={(event) => {
        if (isSet && event.key === 'Backspace' && event.target instanceof HTMLButtonElement) remove();
      }}
    >
      {filter.kind === 'choice' ? (
        <ChoiceChip
          of={filter.of}
          none={filter.none}
          label={filter.label}
          value={values[filter.name] ?? ''}
          onChange={(value) => change({ [filter.name]: value })}
        />
      ) : (
        <Popover
          label={filter.label}
          className={isSet ? 'chip set' : 'chip add'}
          isOpenAtFirst={isNew}
          content={(close) => <Control of={filter} values={values} change={change} onDone={close} />}
        >
          <span className={isSet ? 'dim' : undefined}>{filter.label}</span>
          {isSet && <ChipValue of={filter} values={values} />}
        </Popover>
      )}
      {isSet && (
        <button
          type="button"
          className="chip-remove"
          aria-label={`Remove the filter ${filter.label}`}
          onClick={remove}
        >
          <Icon name="x" size={13} />
        </button>
      )}
    </span>
  );
}

type ChoiceChipProps = {
  of: Choices;
  none: string | undefined;
  label: string;
  value: string;
  onChange: (value: string) => void;
};

function ChoiceChip({ of, none, label, value, onChange }: ChoiceChipProps) {
  // A filter has either a list or a hook for as long as it is on the screen.
  const choices = typeof of === 'function' ? of() : of;
  const options = choices.map(asChoice).map((one) => ({ value: one.value, text: one.label }));
  return none === undefined ? (
    <FilterPick name={label} options={options} value={value} onChange={onChange} />
  ) : (
    <FilterPick
      name={label}
      options={[{ value: '', text: none }, ...options]}
      first=""
      value={value}
      onChange={onChange}
    />
  );
}

function ChipValue({ of, values }: { of: Filter; values: Readonly<Record<string, string>> }) {
  const value = values[of.name] ?? '';
  if (of.kind === 'player') return <PlayerName id={value} />;
  if (!('to' in of)) return <strong className="clip">{value}</strong>;
  const last = values[of.to];
  const format = of.kind === 'days' ? date : moment;
  // An address can contain anything.
  const shown = (text: string) => {
    const at = momentIn(text);
    return at === undefined ? text : format(at);
  };
  const text = [value && `from ${shown(value)}`, last && `to ${shown(last)}`].filter(Boolean).join(' ');
  return <strong className="clip">{text}</strong>;
}

const PlayerName = ({ id }: { id: string }) => <strong className="clip">{usePlayerName(Number(id))}</strong>;

const TYPES = {
  period: 'datetime-local',
  days: 'date',
  number: 'number',
  text: 'text',
  choice: 'text',
} as const;

type ControlProps = Pick<ChipProps, 'of' | 'values' | 'change'> & { onDone: () => void };

function Control({ of, values, change, onDone }: ControlProps) {
  if (of.kind === 'player')
    return (
      <PlayerPick
        label={of.label}
        onChoose={(id) => {
          change({ [of.name]: id === undefined ? '' : String(id) });
          if (id !== undefined) onDone();
        }}
      />
    );
  const names = namesOf(of).map((name, at) => ({
    name,
    label: 'to' in of ? (at === 0 ? 'From' : 'To') : of.label,
  }));
  const type = TYPES[of.kind];
  return (
    <>
      {names.map(({ name, label }) => (
        <Typed
          key={name}
          name={name}
          label={label}
          type={type}
          value={values[name] ?? ''}
          change={change}
          onDone={onDone}
        />
      ))}
    </>
  );
}

type TypedProps = Pick<ChipProps, 'change'> & {
  name: string;
  label: string;
  type: string;
  value: string;
  onDone: () => void;
};

/** A field whose text becomes a filter after a pause, or with Enter. */
function Typed({ name, label, type, value, change, onDone }: TypedProps) {
  const typed = useTyped((text) => change({ [name]: text }, true));
  return (
    <Field
      name={name}
      label={label}
      type={type}
      defaultValue={value}
      onChange={(event) => typed.type(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        typed.flush();
        onDone();
      }}
    />
  );
}

/** Calls `apply` with the typed text after a pause, immediately with `flush`, or never if the field disappears before. */
export function useTyped(apply: (text: string) => void) {
  const waiting = useRef<{ text: string; timer: ReturnType<typeof setTimeout> }>(undefined);
  const latest = useRef(apply);
  latest.current = apply;
  const flush = () => {
    const { text, timer } = waiting.current ?? {};
    clearTimeout(timer);
    waiting.current = undefined;
    if (text !== undefined) latest.current(text);
  };
  useEffect(() => () => clearTimeout(waiting.current?.timer), []);
  return {
    flush,
    type: (text: string) => {
      clearTimeout(waiting.current?.timer);
      waiting.current = { text, timer: setTimeout(flush, TYPED_MS) };
    },
  };
}
