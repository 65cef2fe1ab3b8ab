import { type Db, transaction } from '../../../../../platform/database/db.ts';
import { messageOf } from '../../../../../platform/errors.ts';
import type { Log } from '../../../../../platform/observability/log.ts';
import { emitEvent } from '../../../../base/events/service.ts';
import type { NewFinding } from '../../../../base/findings/service.ts';
import { type ReportedTransaction, userIdOf } from '../../engine/rules.ts';
import type { GameProviders } from '../dialects/registry.ts';
import type { KnownProvider } from '../provider.ts';
import {
  type Books,
  CLOCKS_MS,
  compareBooks,
  type Difference,
  type Window,
  withoutUndone,
} from './comparison/rules.ts';
import {
  addFindings,
  moveWatermark,
  readOwn,
  readOwnRounds,
  readWatermarks,
  undoneSince,
  type Watermark,
} from './queries.ts';

export type ReportDeps = {
  db: Db;
  providerLog: Log;
  gameProviders: Pick<GameProviders, 'all'>;
};

const MINUTE_MS = 60_000;
/** Transactions booked later than this are left for the next comparison. */
const SETTLES_MS = 15 * MINUTE_MS;
/** The overlap of one comparison with the previous one. */
const OVERLAP_MS = 10 * MINUTE_MS;
/** How far back the first comparison of a provider goes. */
const FIRST_MS = 60 * MINUTE_MS + SETTLES_MS;
/** Longest period of one report, so that reports stay short after an outage of days. */
const MAX_REPORT_MS = 30 * MINUTE_MS;

/** Compares the books of every provider with ours since its last comparison. A provider that does not respond is compared next time. */
export async function compareReports(deps: ReportDeps): Promise<void> {
  const providers = deps.gameProviders.all;
  if (providers.length === 0) return;
  const ids = providers.map(({ id }) => id);
  const watermarks = await readWatermarks(deps.db, ids, FIRST_MS);
  for (const provider of providers) {
    const from = watermarks.get(provider.id);
    if (from) await compareProvider(deps, provider, from).catch(logFailure(deps, provider));
  }
}

/** Logs the failure of one provider, so that it stops neither the other comparisons nor the job. */
export const logFailure =
  ({ providerLog }: Pick<ReportDeps, 'providerLog'>, { slug }: KnownProvider) =>
  (error: unknown): void =>
    providerLog.warn(
      { provider: slug, error: messageOf(error) },
      "a provider's report could not be compared",
    );

async function compareProvider(deps: ReportDeps, provider: KnownProvider, from: Watermark): Promise<void> {
  const end = from.now.getTime() - SETTLES_MS;
  let { watermark } = from;
  while (watermark.getTime() < end) {
    const to = new Date(Math.min(end, watermark.getTime() + MAX_REPORT_MS));
    const window = { from: new Date(watermark.getTime() - OVERLAP_MS), to };
    const differences = await differencesIn(deps, provider, window, from.now);
    const { id: providerId, slug } = provider;
    const found = await transaction(deps.db, async (tx) => {
      if (!(await moveWatermark(tx, { providerId, watermark }, to))) return undefined;
      const added = await addFindings(tx, differences.map(findingOf(providerId)));
      if (added > 0)
        await emitEvent(tx, { event: 'admin.alert', data: { kind: 'PROVIDER_FINDINGS', id: slug } });
      return added;
    });
    if (found === undefined) return;
    if (found > 0)
      deps.providerLog.warn({ provider: slug, findings: found }, "a provider's books differ from ours");
    watermark = to;
  }
}

export const findingOf =
  (providerId: number) =>
  ({ kind, subject, playerId, facts }: Difference): NewFinding => ({
    providerId,
    kind,
    subject,
    userId: userIdOf(playerId) ?? null,
    facts,
  });

/** Returns the differences in a window. Reads the provider's report first: later bookings exist only here, and are too recent to be missing there. */
export async function differencesIn(
  { db }: ReportDeps,
  provider: KnownProvider,
  window: Window,
  now: Date,
): Promise<Difference[]> {
  const reported = await provider.report(window.from, window.to);
  const found = compareBooks(await booksOf(db, provider.id, reported, window));
  const ids = (whose: 'THEIRS' | 'OURS') =>
    found.flatMap(({ unlessUndone, subject }) => (unlessUndone === whose ? [subject] : []));
  const [theirs, ours] = [ids('THEIRS'), ids('OURS')];
  const undoneThere = theirs.length > 0 ? rollbacksIn(await provider.report(window.to, laterThan(now))) : [];
  const undoneHere =
    ours.length > 0
      ? await undoneSince(db, provider.id, { ids: ours, since: new Date(window.to.getTime() - CLOCKS_MS) })
      : new Set<string>();
  return withoutUndone(found, { THEIRS: new Set(undoneThere), OURS: undoneHere });
}

/** The provider's clock may be ahead of ours. */
const laterThan = (now: Date) => new Date(now.getTime() + CLOCKS_MS + MINUTE_MS);

const rollbacksIn = (reported: readonly ReportedTransaction[]): string[] =>
  reported.flatMap(({ type, reference }) => (type === 'ROLLBACK' && reference ? [reference] : []));

/** Reads our side of a comparison: our transactions of the window, and everything that the report names. */
export async function booksOf(
  db: Db,
  providerId: number,
  reported: readonly ReportedTransaction[],
  window: Window,
): Promise<Books> {
  const ids = new Set(
    reported.flatMap(({ transactionId, reference }) =>
      reference === null ? [transactionId] : [transactionId, reference],
    ),
  );
  const ended = reported.flatMap(({ isRoundClosed, round, playerId }) =>
    isRoundClosed === true && round !== null ? [{ playerId, ref: round }] : [],
  );
  const own = await readOwn(db, providerId, { ids: [...ids], window });
  const names = new Map(ended.map((one) => [`${one.playerId}:${one.ref}`, one]));
  const rounds = names.size > 0 ? await readOwnRounds(db, providerId, [...names.values()]) : [];
  return { reported, own, rounds, window };
}
