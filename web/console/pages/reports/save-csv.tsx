import { useState } from 'react';
import { BOM, cell, PICTURES } from '../../../../src/platform/csv.ts';
import { Button } from '../../../kit/button.tsx';
import type { LinesProps } from '../../../kit/lines.tsx';
import { asRefused } from '../../../kit/query.ts';
import { say } from '../../../kit/toast.tsx';
import { kit } from '../../../kit/words.ts';
import { saveAs } from '../../save.ts';

type Rows = readonly object[];

/** The first and the last day of a report, such as 2026-11-01. */
export type Days = { first: string; last: string };

type SaveCsvProps = {
  /** A name for the rows, such as “Top players”. The label of the button contains it, and the name of the file begins with it. */
  title: string;
  days: Days;
  /** The rows, or a function that reads those that the page does not show. */
  rows: Rows | (() => Promise<Rows>);
};

/** Saves rows of a report as CSV, with the fields of the response. The name of the file contains the title and the days. */
export const SaveCsv = ({ title, days: { first, last }, rows }: SaveCsvProps) => {
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const csv = csvOf(typeof rows === 'function' ? await rows() : rows);
      const name = title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
      saveAs(`${name}-${first}-${last}.csv`, new Blob([BOM, csv], { type: 'text/csv' }));
    } catch (error) {
      say(kit.refusal(asRefused(error)), true);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      kind="ghost"
      size="sm"
      icon="download"
      aria-label={`Export ${title}`}
      title={`Export ${title} as CSV`}
      isBusy={isBusy}
      disabled={rows.length === 0 && typeof rows !== 'function'}
      onClick={() => void save()}
    />
  );
};

/** Returns the rows behind a chart: the time of each point and its values, including the previous period. */
export function rowsOf({ of, before = {} }: Pick<LinesProps, 'of' | 'before'>): Rows {
  const labels = Object.keys(of);
  return (of[labels[0] ?? ''] ?? []).map(({ at }, point) => {
    const now = labels.map((label) => [label, of[label]![point]?.value]);
    const earlier = Object.keys(before).map((label) => [
      `${label}, previous period`,
      before[label]![point]?.value,
    ]);
    return { time: at, ...Object.fromEntries([...now, ...earlier]) };
  });
}

function csvOf(rows: Rows): string {
  const flat = rows.map((row) => new Map(fieldsOf(row)));
  const names = [...new Set(flat.flatMap((row) => [...row.keys()]))];
  return [names, ...flat.map((row) => names.map((name) => row.get(name)))]
    .map((line) => `${line.map(cell).join(',')}\r\n`)
    .join('');
}

/** The fields of a row without addresses of pictures. A field of a nested object is named like `user.username`. */
const fieldsOf = (row: object, within = ''): [string, unknown][] =>
  Object.entries(row)
    .filter(([name]) => !PICTURES.has(name))
    .flatMap(([name, value]): [string, unknown][] =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? fieldsOf(value, `${within}${name}.`)
        : [[`${within}${name}`, value]],
    );
