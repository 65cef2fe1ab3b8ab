import { useEffect, useRef, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Field } from '../../kit/form/field.tsx';
import { Fields } from '../../kit/form/form.tsx';
import type { Filled } from '../../kit/form/read.ts';
import { list as listed, number, plural } from '../../kit/intl.ts';
import { Meter } from '../../kit/measures.tsx';
import { Note } from '../../kit/note.tsx';
import { asRefused, refresh, userId } from '../../kit/query.ts';
import { May } from '../../kit/session.tsx';
import { kit } from '../../kit/words.ts';
import { ExportDialog } from './export.tsx';
import { type Failure, runRows } from './run-rows.ts';
import type { Bulk } from './spec.ts';
import type { ListState } from './use-list.ts';

/** Above this number of rows, staff confirm a dangerous action by typing the number. */
const TYPED_ABOVE = 20;

/** The bar that appears while rows are ticked, with the actions on them. */
export function BulkBar<Row>({ list }: { list: ListState<Row> }) {
  const [asked, setAsked] = useState<Bulk<Row> | 'export'>();
  const { ticked, untickAll, spec, reading } = list;
  const shown = new Set((reading.data?.data ?? []).map((row) => spec.keyOf(row)));
  const hidden = [...ticked.keys()].filter((key) => !shown.has(key)).length;
  const actions: readonly Bulk<Row>[] = spec.bulk ?? [];
  return (
    <>
      {ticked.size > 0 && (
        <div className="bulk" role="toolbar" aria-label={`Selected ${spec.title.toLowerCase()}`}>
          <span role="status">
            {number(ticked.size)} selected
            {hidden > 0 && `, ${number(hidden)} not on this page`}
          </span>
          <i />
          {actions.map((action) => (
            <May key={action.label} op={action.op}>
              <Button
                kind={action.isDangerous ? 'danger' : 'ghost'}
                size="sm"
                icon={action.icon}
                onClick={() => setAsked(action)}
              >
                {action.label}
              </Button>
            </May>
          ))}
          {spec.file !== undefined && (
            <Button kind="ghost" size="sm" icon="download" onClick={() => setAsked('export')}>
              Export
            </Button>
          )}
          <Button kind="ghost" size="sm" icon="x" aria-label="Clear the selection" onClick={untickAll} />
        </div>
      )}
      {asked === 'export' && <ExportDialog list={list} onClose={() => setAsked(undefined)} />}
      {asked !== undefined && asked !== 'export' && (
        <BulkDialog list={list} action={asked} onClose={() => setAsked(undefined)} />
      )}
    </>
  );
}

type Run<Row> = { done: number; total: number; failed: readonly Failure<Row>[]; isOver: boolean };
type DialogProps<Row> = { list: ListState<Row>; action: Bulk<Row>; onClose: () => void };

/** Asks for the fields of an action, then sends one request for each row and shows the progress and the failures. */
function BulkDialog<Row>({ list, action, onClose }: DialogProps<Row>) {
  const [run, setRun] = useState<Run<Row>>();
  // The rows that the dialog names, even if the list changes behind it.
  const [asked] = useState<readonly Row[]>(() => [...list.ticked.values()]);
  const filled = useRef<Filled>(undefined);
  const isStopped = useRef(false);
  const stop = () => {
    isStopped.current = true;
  };
  useEffect(
    () => () => {
      isStopped.current = true;
    },
    [],
  );
  const start = async (rows: readonly Row[]) => {
    isStopped.current = false;
    await runRows({
      rows,
      send: async (row) => {
        await action.run(row, filled.current!);
        list.tick([row], false);
      },
      userId,
      isStopped: () => isStopped.current,
      asRefused,
      onProgress: (done, failed) => setRun({ done, total: rows.length, failed, isOver: false }),
    });
    setRun((last) => last && { ...last, isOver: true });
    await refresh(list.op, ...(action.stale ?? []));
  };
  const title = `${action.label.replace('…', '')}: ${number(run?.total ?? asked.length)} selected`;
  return (
    <Dialog title={title} onClose={onClose}>
      {run ? (
        <Progress
          of={run}
          keyOf={list.spec.keyOf}
          nameOf={(row) => nameOf(list, row)}
          onStop={stop}
          onRetry={() => void start(run.failed.map(({ row }) => row))}
          onClose={onClose}
        />
      ) : (
        <Ask
          action={action}
          names={asked.map((row) => nameOf(list, row))}
          onClose={onClose}
          onStart={(found) => {
            filled.current = found;
            void start(asked);
          }}
        />
      )}
    </Dialog>
  );
}

const nameOf = <Row,>({ spec }: ListState<Row>, row: Row): string =>
  spec.nameOf ? spec.nameOf(row) : String(spec.keyOf(row));

type AskProps<Row> = {
  action: Bulk<Row>;
  names: readonly string[];
  onStart: (filled: Filled) => void;
  onClose: () => void;
};

function Ask<Row>({ action, names, onStart, onClose }: AskProps<Row>) {
  const count = names.length;
  const { Fields: More, isDangerous = false, about, label } = action;
  return (
    <Fields refused={undefined} onSend={onStart}>
      <p>{shownOf(names)}</p>
      {about && <p>{about}</p>}
      {More && <More />}
      {isDangerous && count > TYPED_ABOVE && (
        <Field
          name="confirmedCount"
          label={`Type ${count} to confirm`}
          inputMode="numeric"
          pattern={String(count)}
          required
        />
      )}
      <div className="actions">
        <Button onClick={onClose}>{kit.cancel}</Button>
        <Button type="submit" kind={isDangerous ? 'danger' : 'main'}>
          {`${label.replace('…', '')} ${number(count)}`}
        </Button>
      </div>
    </Fields>
  );
}

/** The dialog names at most this many rows. */
const NAMED = 10;

/** anna, ben and 3 more */
const shownOf = (names: readonly string[]): string =>
  listed(
    names.length > NAMED
      ? [...names.slice(0, NAMED), plural(names.length - NAMED, { one: '# more', other: '# more' })]
      : names,
  );

type ProgressProps<Row> = {
  of: Run<Row>;
  keyOf: (row: Row) => string | number;
  nameOf: (row: Row) => string;
  onStop: () => void;
  onRetry: () => void;
  onClose: () => void;
};

function Progress<Row>({ of: run, keyOf, nameOf: name, onStop, onRetry, onClose }: ProgressProps<Row>) {
  const { done, total, failed, isOver } = run;
  const count = `${number(done)} of ${number(total)}`;
  return (
    <>
      <Meter value={done} of={total} label="Progress" text={count} kind="progress" />
      <p role="status">
        {isOver ? plural(done - failed.length, { one: '# row done', other: '# rows done' }) : count}
        {failed.length > 0 && `, ${number(failed.length)} failed`}
        {isOver && done < total && `, ${number(total - done)} not started`}
      </p>
      {failed.length > 0 && (
        <Note kind="warn">
          <ul>
            {failed.map(({ row, why }) => (
              <li key={keyOf(row)} title={why.code}>
                {name(row)}: {kit.refusal(why)}
              </li>
            ))}
          </ul>
        </Note>
      )}
      <div className="actions">
        {!isOver && <Button onClick={onStop}>Stop</Button>}
        {isOver && failed.length > 0 && <Button onClick={onRetry}>Retry failed</Button>}
        {isOver && (
          <Button kind="main" onClick={onClose}>
            {kit.close}
          </Button>
        )}
      </div>
    </>
  );
}
