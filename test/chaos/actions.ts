import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { withDb } from '../crash/check.ts';
import type { Person } from '../kit/processes/visitors.ts';
import { createGames } from './games.ts';
import { createPayments, type Random } from './payments.ts';
import { createProviderPlay } from './providers.ts';
import { createRewards } from './rewards.ts';
import type { World } from './world.ts';

/** Performs random actions of players, one after the other. Each request is repeated with its key until its outcome is certain. */
export async function createActions(world: World, random: Random) {
  const { people } = world;
  const payments = createPayments(world, random);
  const games = createGames(world, random);
  const providers = await createProviderPlay(world, random);
  const rewards = await createRewards(world, random, providers.spinGames);
  /** An active grant blocks withdrawals, so not all players have grants. */
  const rewarded = new Set(people.filter((_, i) => i % 2 === 0));

  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;

  return {
    counts: () => ({ ...payments.counts, ...games.counts, ...providers.counts(), ...rewards.counts }),
    resumeAll: games.resumeAll,
    settleProviders: providers.settle,
    problems: () => [...providers.problems, ...rewards.problems()],
    acknowledged: rewards.acknowledged,
    async step(): Promise<void> {
      const person = pick(people);
      if (rewarded.has(person) && random() < 0.4) return rewards.step(person);
      const chance = random();
      if (chance < 0.22) await payments.deposit(person);
      else if (chance < 0.35) await payments.withdraw(person);
      else if (chance < 0.56) await games.play(person);
      else if (chance < 0.74) await providers.play(person);
      else if (chance < 0.87) await providers.bet(person);
      else if (chance < 0.97) await payments.move(person);
      else await payments.reorg();
    },
  };
}

/** Simulates staff who approve or sometimes reject pending withdrawals, look up those with an unknown outcome, and retry failed ones. */
export function createStaff(world: World, random: Random) {
  const { insist, staff, cluster } = world;
  /** Moves a request ten minutes into the past, because a provider's report that a payout is unknown is only accepted after this time. */
  const letTimePass = (id: string) =>
    withDb(cluster.databaseUrl(), (db) =>
      db
        .updateTable('withdrawals')
        .set({ asked_at: sql`asked_at - interval '10 minutes'` })
        .where('id', '=', id)
        .where('status', '=', 'UNKNOWN_OUTCOME')
        .execute(),
    );
  const list = async (status: string): Promise<{ id: string }[]> => {
    const { body } = await insist('GET', `/admin/payments/withdraw?status=${status}&take=20`, {
      token: staff[0].token,
    });
    return body.data ?? [];
  };
  const act = (verb: string, body: object, { token }: Person = staff[0]) =>
    insist('POST', `/admin/payments/withdraw/${verb}`, {
      token,
      body,
      headers: { 'idempotency-key': randomUUID() },
    });
  /** Approves a withdrawal as two people. Rejects it instead in some cases, and always if the player is in debt. */
  const judge = async (id: string) => {
    const reject = () => act('reject', { id, rejectReason: 'chaos' });
    if (random() < 0.15) return reject();
    for (const one of staff) {
      const { body } = await act('approve', { id }, one);
      if (body.code === 'CLAIMS_OPEN') return reject();
    }
  };
  return {
    /**
     * Runs one round. Returns the number of open withdrawals. With `isFinal`, resolves every withdrawal with an unknown outcome and retries
     * no failed ones.
     */
    async round({ isFinal }: { isFinal: boolean }): Promise<number> {
      const waiting = [...(await list('WAITING_FOR_APPROVAL')), ...(await list('ON_HOLD'))];
      for (const { id } of waiting) await judge(id);
      const unknown = await list('UNKNOWN_OUTCOME');
      for (const { id } of unknown) {
        await insist('GET', `/admin/payments/withdraw/fetch/${id}`, { token: staff[0].token });
        if (isFinal) await letTimePass(id);
        if (isFinal || random() < 0.3) await act('retry', { id });
      }
      if (!isFinal) for (const { id } of await list('FAILED')) if (random() < 0.3) await act('retry', { id });
      const under = await Promise.all(['APPROVED', 'PROCESSING', 'SENT'].map(list));
      return waiting.length + unknown.length + under.flat().length;
    },
  };
}
