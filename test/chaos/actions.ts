import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { withDb } from '../crash/check.ts';
import type { Person } from '../kit/visitors.ts';
import { createGames } from './games.ts';
import { createProviderPlay } from './providers.ts';
import { createRewards } from './rewards.ts';
import type { World } from './world.ts';

/** What a player pays in and out with; amounts in the finest unit that is used here. */
const METHODS = [
  {
    currencyId: 'USDT',
    networkId: 'tron',
    decimals: 6,
    in: [1, 60],
    out: [5, 40],
    to: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
  },
  {
    currencyId: 'BTC',
    networkId: 'bitcoin',
    decimals: 8,
    in: [0.0002, 0.002],
    out: [0.0003, 0.001],
    to: '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
  },
  {
    currencyId: 'XRP',
    networkId: 'ripple',
    decimals: 6,
    in: [1, 50],
    out: [5, 30],
    to: 'rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY',
  },
] as const;

type Method = (typeof METHODS)[number];
export type Random = () => number;
type Paid = { txHash: string; outputIndex: number };

/** What players do, one thing after the other, each repeated with its key until it is certain what became of it. */
export async function createActions(world: World, random: Random) {
  const { insist, outside, people } = world;
  const addresses = new Map<string, { payAddress: string; payMemo: string | null }>();
  const paid: Paid[] = [];
  const counts = { deposits: 0, withdrawals: 0, refused: 0, cancels: 0, moves: 0, reorgs: 0 };
  const games = createGames(world, random);
  const providers = await createProviderPlay(world, random);
  const rewards = await createRewards(world, random, providers.spinGames);
  /** An active grant keeps its player from withdrawing, so not all have grants. */
  const rewarded = new Set(people.filter((_, i) => i % 2 === 0));

  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const amount = ({ decimals }: Method, [least, most]: readonly [number, number]) =>
    (least + random() * (most - least)).toFixed(Math.min(decimals, 6)).replace(/\.?0+$/, '');
  const keyed = () => ({ headers: { 'idempotency-key': randomUUID() } });

  const deposit = async (person: Person) => {
    const method = pick(METHODS);
    const { currencyId, networkId } = method;
    const name = `${person.id} ${currencyId}`;
    let at = addresses.get(name);
    if (!at) {
      const query = new URLSearchParams({ currencyId, networkId });
      const reply = await insist('GET', `/payments/deposit/address?${query}`, { token: person.token });
      // The provider may be the one that does not answer.
      if (reply.status !== 200) return;
      at = reply.body as { payAddress: string; payMemo: string | null };
      addresses.set(name, at);
    }
    const coins = await outside('POST', '/payments/coins', {
      address: at.payAddress,
      currencyId,
      networkId,
      amount: amount(method, method.in),
      ...(at.payMemo ? { memo: at.payMemo } : {}),
    });
    paid.push(coins);
    counts.deposits++;
  };

  const withdraw = async (person: Person) => {
    const method = pick(METHODS);
    const { currencyId, networkId, to } = method;
    const body = {
      currencyId,
      networkId,
      amount: amount(method, method.out),
      recipientAddress: to,
      ...(currencyId === 'XRP' ? { recipientMemo: '12345' } : {}),
    };
    const { status } = await insist('POST', '/payments/withdraw', { token: person.token, body, ...keyed() });
    if (status === 201) counts.withdrawals++;
    else counts.refused++;
    if (status === 201 && random() < 0.2) await cancel(person);
  };

  const cancel = async ({ token }: Person) => {
    const { body } = await insist('GET', '/payments/withdraw?status=WAITING_FOR_APPROVAL', { token });
    const [first] = body.data ?? [];
    if (!first) return;
    const { status } = await insist('POST', '/payments/withdraw/cancel', {
      token,
      body: { id: first.id },
      ...keyed(),
    });
    if (status === 201) counts.cancels++;
  };

  const move = async ({ token }: Person) => {
    const path = random() < 0.5 ? '/accounting/to-vault' : '/accounting/from-vault';
    await insist('POST', path, { token, body: { currencyId: 'USDT', amount: '0.7' }, ...keyed() });
    counts.moves++;
  };

  const reorg = async () => {
    if (paid.length === 0) return;
    const { txHash, outputIndex } = pick(paid);
    await outside('POST', '/payments/reorg', { txHash, outputIndex });
    counts.reorgs++;
  };

  return {
    counts: () => ({ ...counts, ...games.counts, ...providers.counts(), ...rewards.counts }),
    resumeAll: games.resumeAll,
    settleProviders: providers.settle,
    problems: () => [...providers.problems, ...rewards.problems()],
    acknowledged: rewards.acknowledged,
    async step(): Promise<void> {
      const person = pick(people);
      if (rewarded.has(person) && random() < 0.4) return rewards.step(person);
      const chance = random();
      if (chance < 0.22) await deposit(person);
      else if (chance < 0.35) await withdraw(person);
      else if (chance < 0.56) await games.play(person);
      else if (chance < 0.74) await providers.play(person);
      else if (chance < 0.87) await providers.bet(person);
      else if (chance < 0.97) await move(person);
      else await reorg();
    },
  };
}

/** What staff does with what waits: approves, rejects now and then, looks up what is unknown, tries again what failed. */
export function createStaff(world: World, random: Random) {
  const { insist, staff, cluster } = world;
  /** A provider that has nothing of a payout is believed ten minutes later only. */
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
  /** Two approve; now and then somebody rejects, and always what a player asks for who owes. */
  const judge = async (id: string) => {
    const reject = () => act('reject', { id, rejectReason: 'chaos' });
    if (random() < 0.15) return reject();
    for (const one of staff) {
      const { body } = await act('approve', { id }, one);
      if (body.code === 'CLAIMS_OPEN') return reject();
    }
  };
  return {
    /** One round; answers how many withdrawals were open. `isFinal`: nothing is given up any more. */
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
