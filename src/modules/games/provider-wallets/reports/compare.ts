import { type Db, transaction } from '../../../../platform/db.ts';
import { messageOf } from '../../../../platform/errors.ts';
import type { Log } from '../../../../platform/log.ts';
import { emitEvent } from '../../../base/events/service.ts';
import type { KnownProvider } from '../provider.ts';
import type { NewFinding } from '../queries.ts';
import { type ReportedTransaction, userIdOf } from '../rules.ts';
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

type Deps = {
  db: Db;
  log: Log;
  /** Those that are configured. */
  providers: () => readonly KnownProvider[];
};

const MINUTE_MS = 60_000;
/** What was booked so lately is left for the next comparison. */
const SETTLES_MS = 15 * MINUTE_MS;
/** So much of what was compared is looked at again. */
const OVERLAP_MS = 10 * MINUTE_MS;
/** A new provider is compared from so long ago on. */
const FIRST_MS = 60 * MINUTE_MS + SETTLES_MS;
/** A report is asked for in pieces: after an outage of days, too, none is too long to be read. */
const MOST_MS = 30 * MINUTE_MS;

/** Compares the books of every provider with ours, each from where it was left. One that does not answer is asked again at the next turn. */
export async function compareAll(deps: Deps): Promise<void> {
  const providers = deps.providers();
  if (providers.length === 0) return;
  const ids = providers.map(({ id }) => id);
  const watermarks = await readWatermarks(deps.db, ids, FIRST_MS);
  for (const provider of providers) {
    const from = watermarks.get(provider.id);
    if (from) await compareProvider(deps, provider, from).catch(unanswered(deps, provider));
  }
}

/** Somebody else's failure stops neither the comparison of others nor the job. */
export const unanswered =
  ({ log }: Pick<Deps, 'log'>, { slug }: KnownProvider) =>
  (error: unknown): void =>
    log.warn({ provider: slug, error: messageOf(error) }, 'the report of a provider could not be compared');

async function compareProvider(deps: Deps, provider: KnownProvider, from: Watermark): Promise<void> {
  const end = from.now.getTime() - SETTLES_MS;
  let { watermark } = from;
  while (watermark.getTime() < end) {
    const to = new Date(Math.min(end, watermark.getTime() + MOST_MS));
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
      deps.log.warn({ provider: slug, findings: found }, 'the books of a provider differ from ours');
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

/** Theirs is read first: what comes meanwhile is in ours alone, and too young to be missed there. */
export async function differencesIn(
  { db }: Deps,
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

/** Their clock may be ahead of ours. */
const laterThan = (now: Date) => new Date(now.getTime() + CLOCKS_MS + MINUTE_MS);

const rollbacksIn = (reported: readonly ReportedTransaction[]): string[] =>
  reported.flatMap(({ type, reference }) => (type === 'ROLLBACK' && reference ? [reference] : []));

/** What is compared with a report: ours of the same window, and whatever the report names. */
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
