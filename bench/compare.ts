import { quantile, timed } from './staff.ts';

/**
 * Two requests to compare: `few` for a short list, and `many` for a long list. `many` may take at most twice as long as `few`. `i` is the
 * number of the call.
 */
export type Pair = { name: string; few: Ask; many: Ask };
export type Ask = (i: number) => Promise<{ total: number }>;

const MOST = 2;
const WARM_UPS = 2;

export const cell = (text: string | number, width = 11) =>
  (typeof text === 'number' ? text.toFixed(1) : text).padStart(width);

type Asked = { heads: readonly [string, string]; rounds: number; mostMs?: number };

/**
 * Runs both requests of every pair alternately, `rounds` times, and prints a table in ms with a verdict. Returns true if the 95th
 * percentile of `many` is at most twice that of `few`, and at most `mostMs`, for every pair.
 */
export async function comparePairs(
  pairs: readonly Pair[],
  { heads: [few, many], rounds, mostMs = Number.POSITIVE_INFINITY }: Asked,
): Promise<boolean> {
  const isOver = (times: Times) => ratioOf(times) > MOST || quantile(times.many, 0.95) > mostMs;
  const width = Math.max(...pairs.map(({ name }) => name.length)) + 1;
  const heads = [`p50 ${few}`, `p50 ${many}`, `p95 ${few}`, `p95 ${many}`, 'ratio', 'total'];
  console.log('ms'.padEnd(width) + heads.map((head) => cell(head)).join(''));
  const above: string[] = [];
  for (const pair of pairs) {
    const { total } = await pair.many(0);
    let times = await measure(pair, rounds);
    // Other load on the machine may slow down one of the two requests, so a failed comparison is measured again. A real difference
    // appears in both measurements.
    const isAgain = isOver(times);
    if (isAgain) times = await measure(pair, rounds);
    const isAbove = isOver(times);
    const quantiles = [0.5, 0.95].flatMap((share) => [
      quantile(times.few, share),
      quantile(times.many, share),
    ]);
    const row = [...quantiles, ratioOf(times), String(total)].map((number) => cell(number)).join('');
    const verdict = isAbove ? '  above, twice' : isAgain ? '  measured twice' : '';
    console.log(pair.name.padEnd(width) + row + verdict);
    if (isAbove) above.push(pair.name);
  }
  const limit = `${MOST} times ${few}${Number.isFinite(mostMs) ? ` and ${mostMs} ms` : ''}`;
  const within = `${pairs.length - above.length} of ${pairs.length}: ${many} within ${limit}`;
  console.log(above.length === 0 ? `PASS: ${within}` : `FAIL: ${within}; above: ${above.join(', ')}`);
  return above.length === 0;
}

type Times = { few: number[]; many: number[] };

/** Measures one pair. The first calls are not measured, because they only fill caches and create query plans. */
async function measure({ few, many }: Pair, rounds: number): Promise<Times> {
  const times: Times = { few: [], many: [] };
  for (let i = 0; i < rounds + WARM_UPS; i++) {
    const [a, b] = [await timed(() => few(i)), await timed(() => many(i))];
    if (i < WARM_UPS) continue;
    times.few.push(a);
    times.many.push(b);
  }
  return times;
}

const ratioOf = ({ few, many }: Times) => quantile(many, 0.95) / quantile(few, 0.95);
