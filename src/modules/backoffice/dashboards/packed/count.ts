import type { DbOrTx } from '../../../../platform/db.ts';
import type { Units } from '../../../../platform/money.ts';
import type { Steps } from '../periods/rules.ts';
import type { Games } from '../rules.ts';
import { stepAt } from './rules.ts';
import { visitPlayers } from './visit.ts';

const keysOf = (games: Games) => games?.map(String);
const none = (steps: Steps) => steps.starts.map(() => new Set<number>());

export type Players = { bySteps: bigint[]; total: bigint };

/** How many real players have a bet that counts in each step on these games, and in all steps from number `first` on. */
export async function countPlayers(db: DbOrTx, steps: Steps, games?: Games, first = 0): Promise<Players> {
  const [bySteps, all] = [none(steps), new Set<number>()];
  await visitPlayers(db, steps, { source: 'play', keys: keysOf(games) }, ({ step, userId }) => {
    bySteps[step]!.add(userId);
    if (step >= first) all.add(userId);
  });
  return { bySteps: bySteps.map(({ size }) => BigInt(size)), total: BigInt(all.size) };
}

/** How many real players each of these games has had. */
export async function countPlayersByGame(
  db: DbOrTx,
  steps: Steps,
  games: readonly number[],
): Promise<ReadonlyMap<number, bigint>> {
  const byGame = new Map(games.map((id) => [String(id), new Set<number>()]));
  const wanted = { source: 'play', keys: keysOf(games), byKey: true } as const;
  await visitPlayers(db, steps, wanted, ({ key, userId }) => byGame.get(key)!.add(userId));
  return new Map([...byGame].map(([id, players]) => [Number(id), BigInt(players.size)]));
}

/** How many real players have made a deposit in each step that was not their first, in this currency (undefined: any). */
export async function countRepeatDepositors(
  db: DbOrTx,
  steps: Steps,
  currencyId?: string,
): Promise<number[]> {
  const bySteps = none(steps);
  await visitPlayers(db, steps, depositsIn(currencyId), ({ step, userId, two }) => {
    if (two > 0n) bySteps[step]!.add(userId);
  });
  return bySteps.map(({ size }) => size);
}

const depositsIn = (currencyId: string | undefined) =>
  ({
    source: 'deposit',
    keys: currencyId === undefined ? undefined : [currencyId],
    withAmounts: true,
  }) as const;

export type Sum = { userId: number; one: Units; two: Units };

/** What each real player has staked and got back (`one`, `two`) in each step; own money in US dollars × 10^8. */
export const sumPlay = (db: DbOrTx, steps: Steps): Promise<Sum[][]> =>
  sumPlayers(db, steps, { source: 'play', withAmounts: true });

/** What each real player has deposited (`one`) in each step, in US dollars × 10^8. */
export const sumDeposits = (db: DbOrTx, steps: Steps, currencyId?: string): Promise<Sum[][]> =>
  sumPlayers(db, steps, depositsIn(currencyId));

async function sumPlayers(
  db: DbOrTx,
  steps: Steps,
  wanted: Parameters<typeof visitPlayers>[2],
): Promise<Sum[][]> {
  const bySteps = steps.starts.map(() => new Map<number, Sum>());
  await visitPlayers(db, steps, wanted, ({ step, userId, one, two }) => {
    const sum = bySteps[step]!.get(userId);
    if (sum) {
      sum.one += one;
      sum.two += two;
    } else bySteps[step]!.set(userId, { userId, one, two });
  });
  return bySteps.map((sums) => [...sums.values()]);
}

type Looked = {
  /** The steps in which they signed up, each within one of the days. */
  signedUp: Steps;
  /** All days that are looked at, as they are in a time zone. */
  days: Steps;
  /** How many days later. */
  after: readonly number[];
};

/** How many of the real players who signed up in each step have a bet that counts so many days after that day; by `after`, then by step. */
export async function countReturns(db: DbOrTx, { signedUp, days, after }: Looked): Promise<bigint[][]> {
  const steps = new Map<number, number>();
  await visitPlayers(db, signedUp, { source: 'registration' }, ({ step, userId }) => steps.set(userId, step));
  const dayOf = signedUp.starts.map((at) => stepAt(days, at));
  const back = after.map(() => none(signedUp));
  await visitPlayers(db, days, { source: 'play' }, ({ step: day, userId }) => {
    const step = steps.get(userId);
    const place = step === undefined ? -1 : after.indexOf(day - dayOf[step]!);
    if (place >= 0) back[place]![step!]!.add(userId);
  });
  return back.map((players) => players.map(({ size }) => BigInt(size)));
}
