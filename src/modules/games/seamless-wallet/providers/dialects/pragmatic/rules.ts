/** One row of the data feed, by column name. */
export type FeedRow = Readonly<Record<string, string>>;
export type Feed = { timepoint: number; rows: readonly FeedRow[] };

/** Parses a data feed: a line with the next timepoint, a line with the column names, then rows. Returns undefined for any other input. */
export function readFeed(text: string): Feed | undefined {
  const [first = '', second, ...lines] = text.replaceAll('\r', '').trimEnd().split('\n');
  const timepoint = /^timepoint=(\d{1,15})$/.exec(first)?.[1];
  if (timepoint === undefined) return undefined;
  const heads = fieldsOf(second ?? '');
  const rows: FeedRow[] = [];
  for (const line of lines) {
    const fields = fieldsOf(line);
    if (fields.length !== heads.length) return undefined;
    rows.push(Object.fromEntries(heads.map((head, at) => [head, fields[at]!])));
  }
  return { timepoint: Number(timepoint), rows };
}

/** Splits a CSV line. Quoted fields may contain commas and doubled quotes. */
export function fieldsOf(line: string): string[] {
  const fields: string[] = [];
  for (let at = 0; at <= line.length; ) {
    const quoted = /^"((?:[^"]|"")*)"(?=,|$)/.exec(line.slice(at));
    const end = quoted ? at + quoted[0].length : line.indexOf(',', at);
    const stop = end === -1 ? line.length : end;
    fields.push(quoted ? quoted[1]!.replaceAll('""', '"') : line.slice(at, stop));
    at = stop + 1;
  }
  return fields;
}
