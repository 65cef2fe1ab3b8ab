import { type Input, type Op, Refused, requestOf } from '../../../client/call.ts';
import { plural } from '../../kit/intl.ts';

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
export async function exportRows({ ids, ...wanted }: Wanted): Promise<Blob> {
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
