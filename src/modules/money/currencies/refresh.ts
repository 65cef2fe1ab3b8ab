import type { Clock } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import type { Log } from '../../../platform/log.ts';
import { formatRate, type Rate } from '../../../platform/money.ts';
import { deletePointsBefore, lockRates, readCurrencyIds, storeRates } from './queries.ts';
import { isAbsurd } from './rules.ts';
import type { RateSource } from './source.ts';
import { USD } from './state.ts';

const KEEP_POINTS_MS = 7 * 24 * 3_600_000;

type Refusal = { currencyId: string; before: string; after: string };
type Deps = { db: Db; source: RateSource; clock: Clock; log: Log };

/**
 * Asks the source for the rate of every currency, also of disabled ones: balances in them are still shown in
 * dollars. What the source does not know or what moved absurdly keeps its old rate, which goes stale by age.
 */
export async function refreshRates({ db, source, clock, log }: Deps): Promise<void> {
  const ids = (await readCurrencyIds(db)).filter((id) => id !== USD.id);
  const fetched = await source.fetch(ids);
  const at = new Date(clock.now());
  const refused = await transaction(db, (tx) => store(tx, fetched, { source: source.name, at }));
  for (const refusal of refused) log.error(refusal, 'a rate moved by more than a factor of ten: refused');
  const missing = ids.filter((id) => !fetched.has(id));
  if (missing.length > 0) log.warn({ source: source.name, currencies: missing }, 'the source has no rate');
}

async function store(
  tx: Tx,
  fetched: ReadonlyMap<string, Rate>,
  { source, at }: { source: string; at: Date },
): Promise<Refusal[]> {
  const stored = await lockRates(tx);
  const refused: Refusal[] = [];
  const accepted = [{ ...USD, at }, ...[...fetched].map(([id, rate]) => ({ id, rate, source, at }))].filter(
    ({ id, rate }) => {
      const before = stored.get(id);
      // The fixed table is ours and wins over whatever an earlier source left.
      if (before === undefined || source === 'fixed' || !isAbsurd(before, rate)) return true;
      refused.push({ currencyId: id, before: formatRate(before), after: formatRate(rate) });
      return false;
    },
  );
  await storeRates(tx, accepted);
  await deletePointsBefore(tx, new Date(at.getTime() - KEEP_POINTS_MS));
  return refused;
}
