import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Select } from '../../../kit/form/select.tsx';
import type { Column } from './fields.ts';

export type Row = Readonly<Record<string, unknown>>;
type Kept = { key: number; of: Row };

/** A table of input fields, whose names have the format that `Filled.rows` reads. */
export function Rows({ name, label, columns, rows }: RowsProps) {
  const [kept, setKept] = useState<readonly Kept[]>(() => rows.map((of, key) => ({ key, of })));
  const add = () => setKept([...kept, { key: Math.max(-1, ...kept.map(({ key }) => key)) + 1, of: {} }]);
  return (
    <fieldset className="rows">
      <legend>{label}</legend>
      {kept.map(({ key, of }, at) => (
        <div key={key} className="row">
          {columns.map((column) => (
            <Cell
              key={column.name}
              name={`${name}.${at}.${column.name}`}
              of={column}
              value={of[column.name]}
            />
          ))}
          <Button
            kind="ghost"
            icon="x"
            aria-label={`Remove row ${at + 1} of ${label}`}
            onClick={() => setKept(kept.filter((one) => one.key !== key))}
          />
        </div>
      ))}
      <Button kind="ghost" onClick={add}>
        Add row
      </Button>
    </fieldset>
  );
}

type RowsProps = { name: string; label: string; columns: readonly Column[]; rows: readonly Row[] };

const ON_OFF = [
  { value: 'true', label: 'On' },
  { value: 'false', label: 'Off' },
];

function Cell({ name, of: { label, kind }, value }: { name: string; of: Column; value: unknown }) {
  if (kind === 'switch')
    return <Select name={name} label={label} of={ON_OFF} defaultValue={String(value ?? true)} />;
  return (
    <label>
      <span>{label}</span>
      <input
        name={name}
        type={kind}
        step="any"
        defaultValue={value === undefined ? '' : String(value)}
        autoComplete="off"
        required
      />
    </label>
  );
}
