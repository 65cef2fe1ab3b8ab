import type { Clock } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config/config.ts';
import { untilNone } from '../../../platform/database/batches.ts';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import { formatRate, type Rate } from '../../../platform/money.ts';
import type { Log } from '../../../platform/observability/log.ts';
import { baseEvents } from '../../base/events/schemas.ts';
import { emitEvent } from '../../base/events/service.ts';
import {
  deletePointsBefore,
  type Known,
  lockRates,
  readCurrencyIds,
  readLastReading,
  storePending,
  storeRates,
} from './queries.ts';
import { hasJumped, isAbsurd } from './rules.ts';
import type { RateSource } from './source.ts';
import { USD } from './state.ts';

export const KEEP_POINTS_MS = 7 * 24 * 3_600_000;

type Change = { currencyId: string; before: string; after: string };
type Deps = {
  db: Db;
  source: RateSource;
  clock: Clock;
  log: Log;
  config: Pick<Config, 'RATE_JUMP_PERCENT' | 'RATE_REFRESH_SECONDS'>;
};

/**
 * Reads the rate of every currency from the source. This includes disabled currencies, whose balances are still shown in US dollars. A
 * currency keeps its old rate if the source does not have it or its new rate is implausible. The old rate eventually becomes stale. A rate
 * that jumped by more than RATE_JUMP_PERCENT is used once a later reading confirms it.
 */
export async function refreshRates({ db, source, clock, log, config }: Deps): Promise<void> {
  // Taken before the request, so that a slow source does not delay the next reading.
  const at = new Date(clock.now());
  const ids = (await readCurrencyIds(db)).filter((id) => id !== USD.id);
  const fetched = await source.fetch(ids);
  const { refused, held } = await transaction(db, (tx) =>
    store(tx, fetched, { source: source.name, at, config }),
  );
  await untilNone(db, deletePointsBefore(new Date(at.getTime() - KEEP_POINTS_MS)));
  for (const change of refused)
    log.error(change, 'exchange rate rejected: moved by more than a factor of ten');
  for (const change of held) log.warn(change, 'exchange rate jumped: held until a second reading');
  const missing = ids.filter((id) => !fetched.has(id));
  if (missing.length > 0)
    log.warn({ source: source.name, currencies: missing }, 'rate source lacks currencies');
}

/** Tolerance for timers of one worker that fire early. A single worker would otherwise skip every second reading. */
const EARLY = 0.9;

/**
 * Returns true if the last reading is at least one refresh interval old. Each worker has its own timer, so without this check the source
 * would be read once per interval and worker.
 */
export async function areRatesDue({
  db,
  clock,
  config,
}: Pick<Deps, 'db' | 'clock' | 'config'>): Promise<boolean> {
  const last = await readLastReading(db);
  return last === undefined || clock.now() - last.getTime() >= EARLY * config.RATE_REFRESH_SECONDS * 1000;
}

type Reading = { id: string; rate: Rate; source: string; at: Date };
type Verdict = 'accepted' | 'refused' | 'held';

async function store(
  tx: Tx,
  fetched: ReadonlyMap<string, Rate>,
  { source, at, config }: { source: string; at: Date; config: Deps['config'] },
): Promise<{ refused: Change[]; held: Change[] }> {
  const stored = await lockRates(tx);
  const readings: Reading[] = [...fetched].map(([id, rate]) => ({ id, rate, source, at }));
  const judged = readings.map((reading) => {
    const known = stored.get(reading.id);
    return { reading, known, verdict: judge(known, reading, config) };
  });
  const are = (verdict: Verdict) => judged.filter((one) => one.verdict === verdict);
  await storeRates(tx, [{ ...USD, at }, ...are('accepted').map(({ reading }) => reading)]);
  // A reading that agrees with the pending one does not replace it. Otherwise frequent readings would postpone the confirmation forever.
  const pending = are('held').filter(({ known, reading }) => !agrees(known, reading, config));
  await storePending(
    tx,
    pending.map(({ reading }) => reading),
  );
  const started = are('held').filter(({ known }) => known?.pending === null);
  for (const { reading } of started)
    await emitEvent(tx, { event: baseEvents['admin.alert'], data: { kind: 'RATE_JUMP', id: reading.id } });
  const changes = (verdict: Verdict): Change[] =>
    are(verdict).map(({ reading, known }) => ({
      currencyId: reading.id,
      before: formatRate(known!.rate),
      after: formatRate(reading.rate),
    }));
  return { refused: changes('refused'), held: changes('held') };
}

/**
 * Decides whether a rate is accepted, held or rejected. A rate that jumped is held until a reading at least half a refresh interval later
 * confirms it. An earlier reading is not enough, because two processes may read the source at the same time.
 */
function judge(known: Known | undefined, { rate, source, at }: Reading, config: Deps['config']): Verdict {
  // The fixed table may replace any rate from a source that was configured before.
  if (known === undefined || source === 'fixed') return 'accepted';
  if (isAbsurd(known.rate, rate)) return 'refused';
  if (!hasJumped(known.rate, rate, config.RATE_JUMP_PERCENT)) return 'accepted';
  const { pending } = known;
  const isLater =
    pending !== null && at.getTime() - pending.at.getTime() >= config.RATE_REFRESH_SECONDS * 500;
  return isLater && agrees(known, { rate }, config) ? 'accepted' : 'held';
}

/** Returns true if a reading confirms the pending one. */
const agrees = (known: Known | undefined, { rate }: Pick<Reading, 'rate'>, config: Deps['config']): boolean =>
  known?.pending != null && !hasJumped(known.pending.rate, rate, config.RATE_JUMP_PERCENT);
