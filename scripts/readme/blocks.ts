/** A block of commands with its output as shown on the page. */
export type Block = {
  line: number;
  commands: string;
  /** Expected responses from the JSON block that follows, one per line. */
  json: unknown[] | undefined;
  /** Expected lines from the plain block that follows. */
  text: string[] | undefined;
  /** The reason given in the `<!-- not run: … -->` comment above the block. */
  notRun: string | undefined;
  /** The error code in the `<!-- may be refused: CODE, because … -->` comment above the block. */
  mayBeRefused: string | undefined;
};

const FENCE = /^```(\w*)\n([\s\S]*?)\n```$/gm;

/** Returns the shell blocks of a Markdown page in order. */
export function blocksOf(page: string): Block[] {
  const fences = [...page.matchAll(FENCE)];
  return fences.flatMap((fence, i) => {
    const [, language, commands = ''] = fence;
    if (language !== 'sh') return [];
    const next = fences[i + 1];
    // An output block below another heading does not belong to this block.
    const isShown = next && !/^#/m.test(page.slice(fence.index + fence[0].length, next.index));
    const [, nextLanguage = '', shown = ''] = isShown ? next : [];
    const lines = shown.split('\n');
    const above = page.slice(0, fence.index).trimEnd();
    const marks = [...(/(?:<!-- .+ -->\s*)+$/.exec(above)?.[0].matchAll(/<!-- (.+?): (.+?) -->/g) ?? [])];
    const mark = (name: string) => marks.find(([, kind]) => kind === name)?.[2];
    return {
      line: page.slice(0, fence.index).split('\n').length,
      commands,
      json: nextLanguage === 'json' ? lines.map((line) => JSON.parse(line) as unknown) : undefined,
      text: isShown && nextLanguage === '' ? lines : undefined,
      notRun: mark('not run'),
      mayBeRefused: mark('may be refused')?.split(',')[0],
    };
  });
}

/** Returns the JSON objects and lists that a program has printed, including several on one line. */
export function jsonIn(output: string): unknown[] {
  return output.split('\n').flatMap((line) => {
    const values: unknown[] = [];
    let rest = line.trim();
    while (/^[{[]/.test(rest)) {
      const end = endOfValue(rest);
      if (end === undefined) return values;
      values.push(JSON.parse(rest.slice(0, end)));
      rest = rest.slice(end).trim();
    }
    return values;
  });
}

function endOfValue(text: string): number | undefined {
  let depth = 0;
  // Skips a quoted string, which may contain brackets.
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (/^[{[]/.test(match[0])) depth++;
    else if (/^[}\]]/.test(match[0])) depth--;
    if (depth === 0) return match.index + match[0].length;
  }
  return undefined;
}

/**
 * Returns differences in the structure of a response: in keys and types, but not in values. For an error response, the status and code must
 * match too.
 */
export function differences(shown: unknown, printed: unknown, at = ''): string[] {
  const [wanted, found] = [typeOf(shown), typeOf(printed)];
  if (wanted !== found) return [`${at || 'the response'} is shown as ${wanted} but is ${found}`];
  if (Array.isArray(shown) && Array.isArray(printed)) {
    if (shown.length > 0 && printed.length === 0)
      return [`${at || 'the list'} is shown with entries but is empty`];
    return printed.flatMap((item, i) =>
      shown.length > 0 ? differences(shown[Math.min(i, shown.length - 1)], item, `${at}[${i}]`) : [],
    );
  }
  if (wanted !== 'object') return [];
  const [a, b] = [shown as Record<string, unknown>, printed as Record<string, unknown>];
  const lacking = Object.keys(a).filter((key) => !Object.hasOwn(b, key));
  const surplus = Object.keys(b).filter((key) => !Object.hasOwn(a, key));
  const isRefusal = 'requestId' in a;
  return [
    ...lacking.map((key) => `${at}.${key} is shown but missing`),
    ...surplus.map((key) => `${at}.${key} exists but is not shown`),
    ...Object.keys(a).flatMap((key) => (key in b ? differences(a[key], b[key], `${at}.${key}`) : [])),
    ...(isRefusal && a.code !== b.code
      ? [`${String(a.code)} is shown, but ${String(b.code)} was returned`]
      : []),
  ];
}

const typeOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value);

/**
 * Returns the expected lines that were not printed in this order. Ports, durations, decimals, numbers in brackets, and counts of ledger
 * postings (from won bets) may differ from the expected values. Other counts must match.
 */
export function missingLines(shown: readonly string[], output: string): string[] {
  const printed = output.split('\n').map(formOf);
  let from = 0;
  return shown.filter((line) => {
    const found = printed.indexOf(formOf(line), from);
    if (found >= 0) from = found + 1;
    return found < 0;
  });
}

const formOf = (line: string) =>
  line
    .trim()
    .replace(/(?<=\d):\d+/g, ':0')
    .replace(/\d+\.\d+(?!\.)|\d+(?= \])/g, '0.0')
    .replace(/\d+ (m?s|postings)\b/g, '0 $1');
