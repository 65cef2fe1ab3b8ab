import { z } from 'zod';
import { type Db, type Tx, transaction } from '../../../../../platform/database/db.ts';
import { JobHopeless } from '../../../../../platform/queue/queue.ts';
import { lockPlayers } from '../../../../base/players/service.ts';
import { beginFreeRounds, queueFreeRounds } from '../../../../money/bonus/grants/free-rounds.ts';
import type { Grants } from '../../../../money/bonus/grants.ts';
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
 * Free rounds of promotions. A task orders them from the provider and retries until it accepts, and withdraws the remaining rounds when the
 * grant ends early. The provider reports wins in its calls.
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
    /** Returns true if a game's provider is configured and supports free rounds. */
    canGive: (providerId: number): boolean => providerOf(providerId)?.freeRounds !== undefined,

    /** Returns a provider's scale of a currency; undefined if it does not have it. */
    scaleOf: (providerId: number, currencyId: string) =>
      providerOf(providerId)?.currencies.find(({ ours }) => ours === currencyId),

    /** Orders the rounds of a new grant. */
    async order(tx: Tx, rounds: NewFreeRounds): Promise<void> {
      await insertOrder(tx, rounds);
      await queueFreeRounds(tx, rounds.grantId);
    },

    /** Runs the task: brings the provider in line with the grant. Safe to repeat. */
    async run(payload: unknown): Promise<void> {
      const job = Job.safeParse(payload);
      if (!job.success) throw new JobHopeless('the payload has no grant id');
      const order = await findOrdered(db, BigInt(job.data.grantId));
      if (!order) return;
      const { grantStatus, issued_at, asked_at, withdrawn_at } = order;
      if (grantStatus === 'PENDING' && issued_at === null) await give(order);
      else if (ENDED_EARLY.has(grantStatus) && asked_at !== null && withdrawn_at === null)
        await withdraw(order);
    },

    /** Updates the grants after the provider has booked or rolled back free rounds with these references. Locks the player. */
    follow: (tx: Tx, providerId: number, references: readonly string[]): Promise<void> =>
      followBooked(tx, grants, {
        providerId,
        references,
        endBy: providerOf(providerId)?.freeRounds?.endBy ?? 'SUM',
      }),
  };
}

/** Throws if the provider is no longer configured, so that the queue retries. */
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

/** Grant statuses whose remaining rounds must be withdrawn. Expired rounds end at the provider automatically. */
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
