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

/**
 * Returns the CSV with only those rows whose field `idField` has one of these values, and how many of the values were found. The server
 * marks a value that a spreadsheet would change with an apostrophe, which is not part of the value.
 */
export function rowsWith(text: string, idField: string, ids: ReadonlySet<string>) {
  const [head = [], ...rows] = parseCsv(text);
  const at = head.map(plain).indexOf(idField);
  const found = new Set<string>();
  const wanted = rows.filter((row) => {
    const cell = plain(row[at] ?? '');
    const id = ids.has(cell) ? cell : cell.replace(/^'/, '');
    if (!ids.has(id)) return false;
    found.add(id);
    return true;
  });
  return { csv: [head, ...wanted].map((row) => `${row.join(',')}\r\n`).join(''), found: found.size };
}
