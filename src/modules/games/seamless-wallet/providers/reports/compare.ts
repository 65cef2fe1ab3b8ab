import { type Db, transaction } from '../../../../../platform/database/db.ts';
import { messageOf } from '../../../../../platform/errors.ts';
import type { Log } from '../../../../../platform/observability/log.ts';
import { baseEvents } from '../../../../base/events/schemas.ts';
import { emitEvent } from '../../../../base/events/service.ts';
import type { NewFinding } from '../../../../base/findings/service.ts';
import type { Settlement } from '../../../betting/settlement.ts';
import { type ReportedTransaction, userIdOf } from '../../engine/rules.ts';
import type { GameProviders } from '../dialects/registry.ts';
import type { KnownProvider } from '../provider.ts';
import { requestOf, type WalletRequestDeps } from '../wallet.ts';
import {
  addFindings,
  markAsked,
  moveWatermark,
  type OpenRound,
  readOwn,
  readOwnRounds,
  readWatermarks,
  roundsToAsk,
  roundsToExpire,
  undoneSince,
  type Watermark,
} from './queries.ts';
import {
  type Books,
  CLOCKS_MS,
  compareBooks,
  type Difference,
  nameOf,
  type Window,
  withoutUndone,
} from './rules.ts';

type ReportDeps = {
  db: Db;
  providerLog: Log;
  gameProviders: Pick<GameProviders, 'all'>;
};

const MINUTE_MS = 60_000;
/** Transactions booked more recently than this are left for the next comparison. */
const SETTLES_MS = 15 * MINUTE_MS;
/** How long the periods of two consecutive comparisons overlap. */
const OVERLAP_MS = 10 * MINUTE_MS;
/** Length of the period that the first comparison of a provider covers. */
const FIRST_MS = 60 * MINUTE_MS + SETTLES_MS;
/** Maximum period of one report, so that reports stay short after an outage of several days. */
const MAX_REPORT_MS = 30 * MINUTE_MS;

/**
 * Compares our transactions with those of every provider since the provider's previous comparison. A provider that does not respond is
 * compared in the next run.
 */
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

/** Logs the failure of one provider, so that the job continues with the others. */
const logFailure =
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
        await emitEvent(tx, {
          event: baseEvents['admin.alert'],
          data: { kind: 'PROVIDER_FINDINGS', id: slug },
        });
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

/**
 * Returns the differences in a window. Reads the provider's report first. Transactions booked after that exist only on our side, and are
 * too recent to be reported as missing.
 */
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

/** Reads our side of a comparison: our transactions in the window, and everything that the report refers to. */
async function booksOf(
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

/** The report for a round covers this much time before and after the round's last transaction. */
const AROUND_MS = 10 * MINUTE_MS;
/** Rounds whose last transactions are this close together share one report. */
const TOGETHER_MS = 60 * MINUTE_MS;
/** Maximum number of reports requested from a provider in one run. */
const MAX_REPORTS = 24;

/**
 * Once a day, checks rounds that have been open for more than a day against the provider's report around their last transaction. A round
 * that has ended at the provider becomes a finding for staff.
 */
export async function checkOpenRounds(deps: ReportDeps): Promise<void> {
  for (const provider of deps.gameProviders.all)
    await checkProvider(deps, provider).catch(logFailure(deps, provider));
}

async function checkProvider({ db }: { db: Db }, provider: KnownProvider): Promise<void> {
  const rounds = await roundsToAsk(db, provider.id);
  for (const { window, members } of groupsOf(rounds).slice(0, MAX_REPORTS)) {
    const reported = await provider.report(window.from, window.to);
    const found = compareBooks(await booksOf(db, provider.id, reported, window));
    const names = new Set(members.map(({ userId, ref }) => nameOf(String(userId), ref)));
    const ended = found.filter(({ kind, subject }) => kind === 'OPEN_HERE' && names.has(subject));
    const ids = members.map(({ id }) => id);
    await transaction(db, async (tx) => {
      await addFindings(tx, ended.map(findingOf(provider.id)));
      await markAsked(tx, ids);
    });
  }
}

type Group = { window: Window; members: OpenRound[] };

/** Groups rounds by the time of their last transactions. */
function groupsOf(rounds: readonly OpenRound[]): Group[] {
  const groups: OpenRound[][] = [];
  for (const round of rounds.toSorted((a, b) => a.updatedAt.getTime() - b.updatedAt.getTime())) {
    const group = groups.at(-1);
    if (group && round.updatedAt.getTime() - group[0]!.updatedAt.getTime() <= TOGETHER_MS) group.push(round);
    else groups.push([round]);
  }
  return groups.map((members) => ({
    members,
    window: {
      from: new Date(members[0]!.updatedAt.getTime() - AROUND_MS),
      to: new Date(members.at(-1)!.updatedAt.getTime() + AROUND_MS),
    },
  }));
}

export type ExpireDeps = ReportDeps & WalletRequestDeps & { settlement: Pick<Settlement, 'settle'> };

/** Closes rounds that have been open for more than 30 days. Their bets are settled, and each round becomes a finding. */
export async function expireRounds(deps: ExpireDeps): Promise<void> {
  const { db, providerLog, settlement, gameProviders } = deps;
  for (const provider of gameProviders.all)
    for (const { userId, ref, currencyId } of await roundsToExpire(db, provider.id)) {
      const playerId = String(userId);
      const call = { playerId, currencyId, round: ref, actions: [], closes: true };
      const request = requestOf(deps, { provider, userId, call, origin: 'EXPIRY' });
      const failed = (error: unknown) => ({ status: messageOf(error) });
      const { status } = await settlement.settle(request).catch(failed);
      const facts = { provider: provider.slug, userId, round: ref };
      if (status === 'OK') providerLog.warn(facts, 'a round was closed after 30 days');
      else providerLog.error({ ...facts, status }, 'a round open for 30 days could not be closed');
    }
}
