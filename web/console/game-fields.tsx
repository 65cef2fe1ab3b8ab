import { useState } from 'react';
import { Field, type FieldProps, Labelled, TextArea } from '../kit/form/field.tsx';
import { Combobox } from '../kit/pick/combobox.tsx';
import type { Option } from '../kit/pick/pick.tsx';
import { useRead } from '../kit/query.ts';
import { useMissing } from '../kit/session.tsx';
import { ManyField } from './many-field.tsx';

const GAMES = 'GET /admin/casino/games/all';
const TAKE = 8;

/** Finds games by a part of their name. */
function useGames(text: string): readonly Option[] {
  const query = { name: text, sortBy: 'name' as const, sortOrder: 'asc' as const, page: 1, take: TAKE };
  const found = useRead(GAMES, { query }, { isEnabled: text !== '' });
  if (text === '') return [];
  return (found.data?.data ?? []).map(({ slug, name, provider }) => ({
    value: slug,
    text: name,
    note: <span className="dim">{provider.name}</span>,
  }));
}

type GameFieldProps = FieldProps & { value?: string | undefined; required?: boolean };

/** One game, whose slug the form reads. It is found by its name, and can be entered as a slug by staff who may not list games. */
export function GameField(props: GameFieldProps) {
  const { value = '', required, ...field } = props;
  return useMissing(GAMES) === undefined ? (
    <FindGame {...props} />
  ) : (
    <Field {...field} hint="Slug of the game" defaultValue={value} required={required} maxLength={64} />
  );
}

function FindGame({ value = '', required = false, ...field }: GameFieldProps) {
  const [text, setText] = useState(value);
  const [chosen, setChosen] = useState({ value, text: value });
  const options = useGames(text === chosen.text ? '' : text.trim());
  return (
    <Labelled {...field}>
      {({ id, name }) => (
        <>
          <input
            type="hidden"
            name={name}
            // Staff may also enter a slug.
            value={text === chosen.text ? chosen.value : text.trim()}
            data-required={required}
          />
          <Combobox
            id={id}
            label={field.label}
            value={text}
            onChange={setText}
            placeholder="Name of the game"
            options={options}
            onChoose={(option) => {
              setChosen(option);
              setText(option.text);
            }}
          />
        </>
      )}
    </Labelled>
  );
}

type GamesFieldProps = FieldProps & {
  /** The slugs at first. */
  value?: readonly string[] | undefined;
  /** The names of these games. A game without a name here is listed by its slug. */
  names?: ReadonlyMap<string, string>;
  isOrdered?: boolean;
  required?: boolean;
};

/** Several games. A form reads their slugs with `list`. Staff who may not list games enter the slugs. */
export function GamesField({ value = [], names = new Map(), isOrdered = false, ...field }: GamesFieldProps) {
  if (useMissing(GAMES) !== undefined)
    return <TextArea {...field} hint="Slugs, one per line" rows={3} defaultValue={value.join('\n')} />;
  return (
    <ManyField
      {...field}
      isOrdered={isOrdered}
      value={value}
      nameOf={(slug) => names.get(slug) ?? slug}
      useOptions={useGames}
      placeholder="Add a game"
    />
  );
}
