/** Parses CSV as RFC 4180 describes it. Returns the cells of each row as they are written, with their quotes. */
function parseCsv(text: string): string[][] {
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

/** Returns the CSV with only those rows whose field `idField` has one of these values. */
export function rowsWith(text: string, idField: string, ids: ReadonlySet<string>): string {
  const [head = [], ...rows] = parseCsv(text);
  const at = head.map(plain).indexOf(idField);
  const wanted = rows.filter((row) => ids.has(plain(row[at] ?? '')));
  return [head, ...wanted].map((row) => `${row.join(',')}\r\n`).join('');
}
