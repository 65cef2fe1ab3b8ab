import { type ReactNode, useState } from 'react';
import type { Refused } from '../../../client/call.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Segmented, Switch } from '../../kit/form/toggle.tsx';
import { number } from '../../kit/intl.ts';
import { Refusal } from '../../kit/note.tsx';
import { asRefused } from '../../kit/query.ts';
import { saveAs } from '../save.ts';
import { exportRows } from './export-rows.ts';
import type { Column, Filter } from './spec.ts';
import type { ListState } from './use-list.ts';

/** The time that the rows are from, for the name of the file: filters of days and moments, and the choice of a period. */
function spansIn<Row>({ spec, filters: { values } }: Pick<ListState<Row>, 'spec' | 'filters'>): string[] {
  const spans = (spec.filters ?? []).flatMap((filter: Filter): (string | undefined)[] => {
    if ('to' in filter) return [values[filter.name], values[filter.to]];
    return filter.name === spec.span ? [values[filter.name] || 'today'] : [];
  });
  return spans.flatMap((span) => (span ? [span.toLowerCase().replace(/[^a-z0-9-]/g, '')] : []));
}

/** Opens a dialog that exports the rows of a list as CSV, with a choice of rows and columns. Shortcut: E. */
export function ExportButton<Row>({ list }: { list: ListState<Row> }) {
  const [isOpen, setOpen] = useState(false);
  if (list.spec.file === undefined) return null;
  return (
    <>
      <Button icon="download" op={list.op} data-key="e" onClick={() => setOpen(true)}>
        Export
      </Button>
      {isOpen && <ExportDialog list={list} onClose={() => setOpen(false)} />}
    </>
  );
}

/** The fields of the shown columns, after the one that identifies a row. Several columns may have the same field. */
const fieldsOf = <Row,>(columns: readonly Column<Row>[], idField: string | null): string[] => {
  const fields: string[] = columns.flatMap((column) => column.fields ?? [column.name]);
  return [...new Set(idField === null ? fields : [idField, ...fields])];
};

export function ExportDialog<Row>({ list, onClose }: { list: ListState<Row>; onClose: () => void }) {
  const { ticked, columns, spec, op, input, reading } = list;
  const { idField = 'id' } = spec;
  const hasTicked = ticked.size > 0 && idField !== null;
  const [rows, setRows] = useState<'all' | 'ticked'>(hasTicked ? 'ticked' : 'all');
  const [fields, setFields] = useState<'all' | 'shown'>('all');
  const [hasMark, setMark] = useState(true);
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refused>();
  const save = async () => {
    setBusy(true);
    try {
      const file = await exportRows({
        op,
        input,
        hasMark,
        idField: idField ?? '',
        ids: rows === 'ticked' ? [...ticked.keys()].map(String) : undefined,
        columns: fields === 'shown' ? fieldsOf(columns, idField) : undefined,
      });
      saveAs(`${[spec.file, ...spansIn(list)].join('-')}.csv`, file);
      onClose();
    } catch (error) {
      setRefused(asRefused(error));
      setBusy(false);
    }
  };
  const total = reading.data ? number(reading.data.total) : '';
  return (
    <Dialog
      title={`Export ${spec.title.toLowerCase()}`}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" isBusy={isBusy} onClick={() => void save()}>
            Export CSV
          </Button>
        </>
      }
    >
      {refused && <Refusal of={refused} />}
      <Choice
        label="Rows"
        of={
          hasTicked ? { ticked: `${number(ticked.size)} selected`, all: `All ${total} matching` } : undefined
        }
        value={rows}
        onChange={setRows}
      >
        All {total} rows that match the filters
      </Choice>
      <Choice
        label="Columns"
        of={{ all: 'All fields', shown: 'Columns in the list' }}
        value={fields}
        onChange={setFields}
      />
      <Switch label="Open in Excel (UTF-8 with BOM)" isOn={hasMark} onChange={setMark} />
      <p className="dim xs">Times are in UTC. The audit log records the export.</p>
    </Dialog>
  );
}

type ChoiceProps<T extends string> = {
  label: string;
  /** Without choices the children are shown. */
  of: Readonly<Record<T, string>> | undefined;
  value: T;
  onChange: (value: T) => void;
  children?: ReactNode;
};

const Choice = <T extends string>({ label, of, value, onChange, children }: ChoiceProps<T>) => (
  <div className="field">
    <span className="label">{label}</span>
    {of ? <Segmented label={label} of={of} value={value} onChange={onChange} /> : <p>{children}</p>}
  </div>
);
