import { AGGREGATORS, type AggregatorBooks, BOOK_NAMES, type BookName } from '../kit/games/provider-books.ts';
import type { Person } from '../kit/processes/visitors.ts';
import { until } from '../kit/until.ts';
import { createSportsbookPlay } from './sportsbook.ts';
import type { World } from './world.ts';

/** Modes of the games aggregator, each used for some time. A late win arrives one second later. */
const LATE = { lateWinHours: 1 / 3600 };
export const AGGREGATOR_MOODS: readonly object[] = [
  {},
  { lost: { every: 3 } },
  { lost: 0.4, rollbackAfterLost: 0.6 },
  { duplicates: 0.5, duplicatesAtOnce: 0.5 },
  { outOfOrder: 0.5, oldId: 0.3 },
  { lateWin: 0.4, noClose: 0.4, ...LATE },
  { oneMessage: 0.7, lost: 0.3, rollbackAfterLost: 0.3, takenBack: 0.2 },
  { takenBack: 0.5, noClose: 0.3, duplicates: 0.3 },
  { launchError: 0.5, wrongSignature: 0.3, slow: 0.2, slowMs: 300 },
  {
    lost: 0.2,
    rollbackAfterLost: 0.3,
    duplicates: 0.2,
    outOfOrder: 0.2,
    lateWin: 0.2,
    noClose: 0.2,
    oneMessage: 0.3,
    takenBack: 0.2,
    ...LATE,
  },
];
const STAKES = { USDT: '0.5', BTC: '0.0001' } as const;
const SETTLED_WITHIN_MS = 240_000;

/** Plays the slot of the sandbox's aggregator in its four dialects, and bets at its sportsbook. */
export async function createProviderPlay(
  { insist, outside, staff }: Pick<World, 'insist' | 'outside' | 'staff'>,
  random: () => number,
) {
  const counts = { launches: 0, providerRounds: 0, refusedRounds: 0, cancelledRounds: 0, unseenRounds: 0 };
  const sessions = new Map<string, { id: string; stake: string }>();
  const problems: string[] = [];
  const slugs = await hydrate();
  const sportsbook = createSportsbookPlay({ outside }, random);

  /** Imports the games. Returns the slot of each dialect. */
  async function hydrate(): Promise<Record<BookName, string>> {
    const { token } = staff[0];
    await insist('POST', '/admin/casino/games/hydrate', { token });
    const found = new Map<string, string>();
    await until(async () => {
      const { body } = await insist('GET', '/casino/games?name=Seven%20Orchards', { token });
      for (const { slug, provider } of body.data) found.set(provider.slug, slug);
      return BOOK_NAMES.every((name) => found.has(AGGREGATORS[name]));
    }, 60_000);
    return Object.fromEntries(BOOK_NAMES.map((name) => [name, found.get(AGGREGATORS[name])!])) as Record<
      BookName,
      string
    >;
  }

  async function launch({ token }: Person, name: BookName) {
    // Pragmatic Play supports only two decimals, which are too few for stakes in BTC.
    const currencyId = name !== 'pragmatic' && random() < 0.3 ? 'BTC' : 'USDT';
    const { status, body } = await insist('POST', `/casino/games/${slugs[name]}/launch`, {
      token,
      body: { currencyId },
    });
    if (status !== 201) {
      problems.push(`the launch of ${slugs[name]} answered ${status} ${body?.code}`);
      return undefined;
    }
    counts.launches++;
    return { id: new URL(body.url).searchParams.get('session')!, stake: STAKES[currencyId] };
  }

  /** Waits until the outcome of every transaction is certain. */
  const settled = () =>
    until(
      async () => (await outside('POST', '/games/settle', {}).catch(() => undefined))?.ends !== undefined,
      SETTLED_WITHIN_MS,
    );

  return {
    counts: () => ({ ...counts, ...sportsbook.counts }),
    /** Games for which promotions give free spins. The generic dialect does not support free spins. */
    spinGames: BOOK_NAMES.filter((name) => name !== 'generic').map((name) => slugs[name]),
    problems,
    bet: sportsbook.bet,
    /** Plays a round, sometimes in a new session. The aggregator continues it as long as necessary. */
    async play(person: Person): Promise<void> {
      const name = BOOK_NAMES[Math.floor(random() * BOOK_NAMES.length)]!;
      const key = `${person.id} ${name}`;
      const isNew = random() < 0.1;
      const session = (isNew ? undefined : sessions.get(key)) ?? (await launch(person, name));
      if (!session) return;
      sessions.set(key, session);
      const played = await outside('POST', '/games/rounds', {
        session: session.id,
        stake: session.stake,
        count: 1,
      }).catch(() => undefined);
      if (played === undefined) counts.unseenRounds++;
      else if (played[0].status === 'PLAYED') counts.providerRounds++;
      else if (played[0].status === 'REFUSED') counts.refusedRounds++;
      else counts.cancelledRounds++;
    },
    /** Makes the aggregator behave normally until all of its open rounds are finished. Returns its books. */
    async settle(): Promise<AggregatorBooks> {
      await outside('POST', '/games/behaviour', {});
      await settled();
      await sportsbook.endAll();
      await settled();
      return outside('GET', '/games/books');
    },
  };
}
