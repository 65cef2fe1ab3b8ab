import { randomUUID } from 'node:crypto';
import type { Person } from '../kit/processes/visitors.ts';
import type { World } from './world.ts';

/** Currencies and networks of deposits and withdrawals. `decimals` is the number of decimals of the amounts. */
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
/** A withdrawal that was acknowledged with 201. */
export type AcknowledgedWithdrawal = { id: string; userId: number };

/**
 * Performs deposits, withdrawals, and transfers between balance and vault. Each request is repeated with its key until its outcome is
 * certain.
 */
export function createPayments({ insist, outside }: Pick<World, 'insist' | 'outside'>, random: Random) {
  const addresses = new Map<string, { payAddress: string; payMemo: string | null }>();
  const paid: Paid[] = [];
  const withdrawn: AcknowledgedWithdrawal[] = [];
  /** User ids of acknowledged vault transfers, once for each transfer. */
  const moved: number[] = [];
  const counts = { deposits: 0, withdrawals: 0, refused: 0, cancels: 0, moves: 0, reorgs: 0 };

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
      // The simulated provider may have failed intentionally.
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
    const { token } = person;
    const { status, body: made } = await insist('POST', '/payments/withdraw', { token, body, ...keyed() });
    if (status === 201) {
      counts.withdrawals++;
      withdrawn.push({ id: made.id, userId: person.id });
    } else counts.refused++;
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

  const move = async ({ id, token }: Person) => {
    const path = random() < 0.5 ? '/accounting/to-vault' : '/accounting/from-vault';
    const body = { currencyId: 'USDT', amount: '0.7' };
    const { status } = await insist('POST', path, { token, body, ...keyed() });
    counts.moves++;
    if (status === 201) moved.push(id);
  };

  const reorg = async () => {
    if (paid.length === 0) return;
    const { txHash, outputIndex } = pick(paid);
    await outside('POST', '/payments/reorg', { txHash, outputIndex });
    counts.reorgs++;
  };

  return { counts, withdrawn, moved, deposit, withdraw, move, reorg };
}
