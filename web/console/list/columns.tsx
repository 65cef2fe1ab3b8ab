import { type ComponentProps, useState } from 'react';
import { Icon } from '../../kit/icon.tsx';
import { Popover } from '../../kit/popover.tsx';
import { useReorder } from '../../kit/reorder.ts';
import { kit } from '../../kit/words.ts';
import type { Column } from './spec.ts';
import type { ListState } from './use-list.ts';

/** Chooses the columns of a list and their order. The first column always comes first. */
export function ColumnChooser<Row>({ list }: { list: ListState<Row> }) {
  return (
    <Popover
      label="Columns"
      title="Columns"
      className="button ghost sm only-icon"
      content={() => <Chooser list={list} />}
    >
      <Icon name="columns-3" size={16} label="Columns" />
    </Popover>
  );
}

type Names = readonly string[];

function Chooser<Row>({ list: { allColumns, columns, saved } }: { list: ListState<Row> }) {
  const [wanted, setWanted] = useState('');
  const first = allColumns[0]?.name;
  const shown = columns.map(({ name }) => name).filter((name) => name !== first);
  const hidden = allColumns.map(({ name }) => name).filter((name) => name !== first && !shown.includes(name));
  const save = (names: Names) => saved.change({ columns: first === undefined ? null : [first, ...names] });
  const { itemOf } = useReorder(shown, save);
  const found = [...shown, ...hidden].flatMap((name) => {
    const column = allColumns.find((one) => one.name === name);
    return column?.head.toLowerCase().includes(wanted.trim().toLowerCase()) ? column : [];
  });
  return (
    <>
      <span className="input">
        <Icon name="search" size={16} />
        <input
          aria-label="Find a column"
          placeholder="Find a column"
          value={wanted}
          onChange={({ target }) => setWanted(target.value)}
        />
      </span>
      <ul className="column-list">
        {found.map((column) => {
          const isShown = shown.includes(column.name);
          return (
            <Item
              key={column.name}
              of={column}
              isShown={isShown}
              onToggle={() =>
                save(isShown ? shown.filter((name) => name !== column.name) : [...shown, column.name])
              }
              {...(isShown && itemOf(column.name))}
            />
          );
        })}
        {found.length === 0 && <li className="dim">{kit.noMatches}</li>}
      </ul>
      <p className="dim xs">Drag columns, or press Alt and an arrow key, to change their order.</p>
      <div className="line between">
        <button type="button" className="link" onClick={() => saved.change({ columns: null })}>
          Reset to default
        </button>
      </div>
    </>
  );
}

type ItemProps<Row> = { of: Column<Row>; isShown: boolean; onToggle: () => void } & ComponentProps<'li'>;

const Item = <Row,>({ of: { head, name }, isShown, onToggle, ...item }: ItemProps<Row>) => (
  <li {...item}>
    <label className="line">
      <input type="checkbox" name={`column-${name}`} checked={isShown} onChange={onToggle} />
      <span className="grow">{head}</span>
      {isShown && <Icon name="grip-vertical" size={16} />}
    </label>
  </li>
);
