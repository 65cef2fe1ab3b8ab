import { type Db, transaction } from '../../../../platform/db.ts';
import type { Log } from '../../../../platform/log.ts';
import type { KnownProvider } from '../provider.ts';
import { booksOf, findingOf, unanswered } from './compare.ts';
import { compareBooks, nameOf, type Window } from './comparison/rules.ts';
import { addFindings, markAsked, type OpenRound, roundsToAsk } from './queries.ts';

type Deps = { db: Db; log: Log; providers: () => readonly KnownProvider[] };

const MINUTE_MS = 60_000;
/** So long before and after its last booking a round is looked for. */
const AROUND_MS = 10 * MINUTE_MS;
/** Rounds whose last bookings lie so close together are asked about in one report. */
const TOGETHER_MS = 60 * MINUTE_MS;
/** Reports that a provider is asked for in one turn. */
const MOST_REPORTS = 24;

/**
 * Asks providers about rounds that are open for more than a day: for the report of the time around their last booking, once a day. One
 * that has ended there is a finding, and staff decides.
 */
export async function askAboutOpenRounds(deps: Deps): Promise<void> {
  for (const provider of deps.providers())
    await askProvider(deps, provider).catch(unanswered(deps, provider));
}

async function askProvider({ db }: Deps, provider: KnownProvider): Promise<void> {
  const rounds = await roundsToAsk(db, provider.id);
  for (const { window, members } of groupsOf(rounds).slice(0, MOST_REPORTS)) {
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

/** Rounds by the time of their last bookings. */
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
