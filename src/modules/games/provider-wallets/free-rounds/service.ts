import { z } from 'zod';
import { type Db, type Tx, transaction } from '../../../../platform/db.ts';
import { JobHopeless } from '../../../../platform/queue.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import { beginFreeRounds, queueFreeRounds } from '../../../money/bonus/grants/free-rounds.ts';
import type { Grants } from '../../../money/bonus/grants.ts';
import type { FreeRounds, FreeRoundsOrder, KnownProvider } from '../provider.ts';
import {
  findOrdered,
  insertOrder,
  markAsked,
  markIssued,
  markWithdrawn,
  type NewFreeRounds,
  type Ordered,
  orderedBy,
  readBooked,
} from './queries.ts';
import { areOver } from './rules.ts';

type Deps = {
  db: Db;
  grants: Pick<Grants, 'recordFreeWins'>;
  providers: () => readonly KnownProvider[];
};

const Job = z.object({ grantId: z.string().regex(/^[1-9]\d{0,18}$/) });

export type { NewFreeRounds } from './queries.ts';
export type FreeRoundsService = ReturnType<typeof createFreeRounds>;

/**
 * Free rounds that promotions grant: the provider is asked to give them by a job, which goes on until it has taken the order, and to take back
 * what is left of them once their grant has ended. What they win comes in its calls.
 */
export function createFreeRounds({ db, grants, providers }: Deps) {
  const providerOf = (id: number) => providers().find((provider) => provider.id === id);

  const wordsOf = ({ provider_id: id }: Ordered) => configured(id, providerOf(id)?.freeRounds);

  async function give(order: Ordered): Promise<void> {
    const { grant_id: grantId, userId, rounds: spins, gameName: game } = order;
    await markAsked(db, grantId);
    const reference = await wordsOf(order).give(toOrder(order));
    const isWanted = await transaction(db, async (tx) => {
      const isPending = await beginFreeRounds(tx, { grantId, userId, spins, game });
      await markIssued(tx, grantId, reference);
      return isPending;
    });
    if (!isWanted) await withdraw({ ...order, reference });
  }

  async function withdraw(order: Ordered): Promise<void> {
    await wordsOf(order).withdraw(toOrder(order), order.reference);
    await markWithdrawn(db, order.grant_id);
  }

  return {
    /** Whether the provider of a game can give free rounds on it, as far as it is configured here. */
    canGive: (providerId: number): boolean => providerOf(providerId)?.freeRounds !== undefined,

    /** How a provider counts a currency; undefined: it does not have it. */
    scaleOf: (providerId: number, currencyId: string) =>
      providerOf(providerId)?.currencies.find(({ ours }) => ours === currencyId),

    /** Orders the rounds of a grant that was just issued. */
    async order(tx: Tx, rounds: NewFreeRounds): Promise<void> {
      await insertOrder(tx, rounds);
      await queueFreeRounds(tx, rounds.grantId);
    },

    /** The job: brings the provider in line with the grant, however often it runs. */
    async run(payload: unknown): Promise<void> {
      const job = Job.safeParse(payload);
      if (!job.success) throw new JobHopeless('names no grant');
      const order = await findOrdered(db, BigInt(job.data.grantId));
      if (!order) return;
      const { grantStatus, issued_at, asked_at, withdrawn_at } = order;
      if (grantStatus === 'PENDING' && issued_at === null) await give(order);
      else if (ENDED_EARLY.has(grantStatus) && asked_at !== null && withdrawn_at === null)
        await withdraw(order);
    },

    /** A provider has booked something of free rounds that it calls so, or has taken it back. Locks their player. */
    follow: (tx: Tx, providerId: number, references: readonly string[]): Promise<void> =>
      followBooked(tx, grants, {
        providerId,
        references,
        endBy: providerOf(providerId)?.freeRounds?.endBy ?? 'SUM',
      }),
  };
}

/** Throws where the provider is not configured any more: the queue tries again. */
function configured(id: number, words: FreeRounds | undefined): FreeRounds {
  if (!words) throw new Error(`the provider ${id} gives no free rounds here`);
  return words;
}

type Booked = { providerId: number; references: readonly string[]; endBy: FreeRounds['endBy'] };

async function followBooked(
  tx: Tx,
  grants: Deps['grants'],
  { providerId, references, endBy }: Booked,
): Promise<void> {
  for (const order of await orderedBy(tx, providerId, references)) {
    const { grant_id: grantId, userId, rounds } = order;
    await lockPlayers(tx, [userId]);
    const booked = await readBooked(tx, order);
    const isOver = areOver({ rounds, endBy }, booked);
    await grants.recordFreeWins(tx, { grantId, userId, won: booked.won, isOver });
  }
}

/** What is left of their rounds is not to be played any more. Those whose time is over end at the provider by themselves. */
const ENDED_EARLY: ReadonlySet<string> = new Set(['FORFEITED', 'CANCELLED']);

const toOrder = ({
  grant_id,
  userId,
  currency_id,
  gameCode,
  rounds,
  bet,
  valid_until,
}: Ordered): FreeRoundsOrder => ({
  id: `grant-${grant_id}`,
  userId,
  currencyId: currency_id,
  gameCode,
  rounds,
  bet,
  validUntil: valid_until,
});
