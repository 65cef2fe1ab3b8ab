import { type Db, transaction } from '../../../../../platform/database/db.ts';
import { messageOf } from '../../../../../platform/errors.ts';
import type { Settlement } from '../../../betting/settlement.ts';
import type { KnownProvider } from '../provider.ts';
import { requestOf, type WalletRequestDeps } from '../wallet.ts';
import { booksOf, findingOf, logFailure, type ReportDeps } from './compare.ts';
import { compareBooks, nameOf, type Window } from './comparison/rules.ts';
import { addFindings, markAsked, type OpenRound, roundsToAsk, roundsToExpire } from './queries.ts';

const MINUTE_MS = 60_000;
/** How far around a round's last booking its report reaches. */
const AROUND_MS = 10 * MINUTE_MS;
/** Rounds whose last bookings are this close together share one report. */
const TOGETHER_MS = 60 * MINUTE_MS;
/** Maximum number of reports requested from a provider in one run. */
const MAX_REPORTS = 24;

/**
 * Checks rounds that have been open for more than a day, once a day, in the provider's report around their last booking. A round that has
 * ended there becomes a finding for staff.
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

/** Groups rounds by the time of their last bookings. */
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
