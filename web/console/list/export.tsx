import { type ReactNode, useState } from 'react';
import { type Input, type Op, Refused, requestOf } from '../../../client/call.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Segmented, Switch } from '../../kit/form/toggle.tsx';
import { number, plural } from '../../kit/intl.ts';
import { Refusal } from '../../kit/note.tsx';
import { asRefused } from '../../kit/query.ts';
import { saveAs } from '../save.ts';
import { rowsWith } from './csv.ts';
import type { Column, Filter } from './spec.ts';
import type { ListState } from './use-list.ts';

type Wanted = {
  op: Op;
  input: Input<Op>;
  /** Ids of the only rows to export, and the field that contains them. */
  ids?: ReadonlySet<string> | undefined;
  idField: string;
  /** The only fields to export, in their order. */
  columns?: readonly string[] | undefined;
  /** Begins the file with a mark from which Excel recognises UTF-8. */
  hasMark: boolean;
};

/** Returns the rows that match the filters as CSV. The server exports all of them, and rows that are not ticked are removed here. */
async function exportRows({ op, input, ids, idField, columns, hasMark }: Wanted): Promise<Blob> {
  const query = { ...(input as { query?: object }).query, bom: hasMark, columns: columns?.join() };
  const { path, init } = requestOf(op, { ...input, query });
  const answer = await fetch(path, { ...init, headers: { ...init.headers, accept: 'text/csv' } });
  if (!answer.ok) throw new Refused(answer.status, await answer.json());
  if (!ids) return answer.blob();
  // Decoding removes the mark.
  const { csv, found } = rowsWith(await answer.text(), idField, ids);
  if (found < ids.size) throw new Error(missing(ids.size - found));
  return new Blob([hasMark ? '\uFEFF' : '', csv], { type: 'text/csv' });
}

/** The time that the rows are from, for the name of the file: filters of days and moments, and the choice of a period. */
function spansIn<Row>({ spec, filters: { values } }: Pick<ListState<Row>, 'spec' | 'filters'>): string[] {
  const spans = (spec.filters ?? []).flatMap((filter: Filter): (string | undefined)[] => {
    if ('to' in filter) return [values[filter.name], values[filter.to]];
    return filter.name === spec.span ? [values[filter.name] || 'today'] : [];
  });
  return spans.flatMap((span) => (span ? [span.toLowerCase().replace(/[^a-z0-9-]/g, '')] : []));
}

const missing = (count: number): string =>
  plural(count, {
    one: '# selected row no longer matches the filters. Clear the selection and select the rows again.',
    other: '# selected rows no longer match the filters. Clear the selection and select the rows again.',
  });

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
        ids: rows === 'ticked' ? new Set([...ticked.keys()].map(String)) : undefined,
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
