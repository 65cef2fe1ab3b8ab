/** Parses CSV as RFC 4180 describes it. Returns the cells of each row as they are written, with their quotes. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, cell = '', end] of text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/g)) {
    rows.at(-1)!.push(cell);
    if (end === '') break;
    if (end !== ',') rows.push([]);
  }
  // A file that ends with a line break has no further row.
  return rows.filter((row) => row.length > 1 || row[0] !== '');
}

const plain = (cell: string): string =>
  cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;

type Kept = {
  /** Names of fields. A field with parts, such as `user.username`, is kept if its beginning is named. */
  columns?: readonly string[] | undefined;
  /** Values of the field `idField`. */
  ids?: ReadonlySet<string> | undefined;
  idField?: string | undefined;
};

/** Returns the CSV with only these columns and rows. The order of the columns is kept. */
export function reduceCsv(text: string, { columns, ids, idField = 'id' }: Kept): string {
  const [head = [], ...rows] = parseCsv(text);
  const names = head.map(plain);
  const isKept = (name: string) =>
    columns === undefined || columns.some((column) => name === column || name.startsWith(`${column}.`));
  const kept = names.flatMap((name, at) => (isKept(name) ? [at] : []));
  const id = names.indexOf(idField);
  const wanted = ids === undefined ? rows : rows.filter((row) => ids.has(plain(row[id] ?? '')));
  return [head, ...wanted].map((row) => `${kept.map((at) => row[at] ?? '').join(',')}\r\n`).join('');
}
