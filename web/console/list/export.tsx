import { type ReactNode, useState } from 'react';
import { type Input, type Op, Refused, requestOf } from '../../../client/call.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Segmented, Switch } from '../../kit/form/toggle.tsx';
import { number, plural } from '../../kit/intl.ts';
import { Refusal } from '../../kit/note.tsx';
import { asRefused } from '../../kit/query.ts';
import { saveAs } from '../save.ts';
import type { Column } from './spec.ts';
import type { ListState } from './use-list.ts';

type Wanted = {
  op: Op;
  input: Input<Op>;
  /** Ids of the only rows to export, and the field that contains them. */
  ids?: readonly string[] | undefined;
  idField: string;
  /** The only fields to export, in their order. */
  columns?: readonly string[] | undefined;
  /** Begins the file with a mark from which Excel recognises UTF-8. */
  hasMark: boolean;
};

/** The server exports at most this many chosen rows with one request. */
const MOST_IDS = 100;

/** Returns the rows that match the filters as CSV, or only the ticked ones of them. */
async function exportRows({ ids, ...wanted }: Wanted): Promise<Blob> {
  if (!ids) return (await requestRows(wanted)).blob();
  const parts: string[] = [];
  let found = 0;
  for (let at = 0; at < ids.length; at += MOST_IDS) {
    const isFirst = at === 0;
    const answer = await requestRows({ ...wanted, ids: ids.slice(at, at + MOST_IDS), hasMark: false });
    const text = await answer.text();
    parts.push(isFirst ? text : text.slice(text.indexOf('\n') + 1));
    found += Number(answer.headers.get('x-row-count'));
  }
  if (found < ids.length) throw new Error(missing(ids.length - found));
  return new Blob([wanted.hasMark ? '\uFEFF' : '', ...parts], { type: 'text/csv' });
}

async function requestRows({ op, input, ids, idField, columns, hasMark }: Wanted): Promise<Response> {
  const chosen = ids && { ids: ids.join(), idColumn: idField };
  const query = { ...(input as { query?: object }).query, bom: hasMark, columns: columns?.join(), ...chosen };
  const { path, init } = requestOf(op, { ...input, query });
  const answer = await fetch(path, { ...init, headers: { ...init.headers, accept: 'text/csv' } });
  if (!answer.ok) throw new Refused(answer.status, await answer.json());
  return answer;
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
        ids: rows === 'ticked' ? [...ticked.keys()].map(String) : undefined,
        columns: fields === 'shown' ? fieldsOf(columns, idField) : undefined,
      });
      saveAs(`${spec.file}.csv`, file);
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
