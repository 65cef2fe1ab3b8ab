import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeAddress, makeTag, makeTxHash } from './payments-addresses.ts';
import { formatAmount } from './payments-amounts.ts';

export type Dialect = 'sandbox' | 'nowpayments' | 'btcpay';
/** Whom an address, or a memo at a shared one, belongs to. */
export type Account = {
  dialect: Dialect;
  reference: string;
  currencyId: string;
  networkId: string;
  address: string;
  memo: string | null;
  externalId: string;
};
export const DEPOSIT_STATUSES = [
  'DETECTED',
  'CONFIRMING',
  'COMPLETED',
  'PARTIALLY_PAID',
  'EXPIRED',
  'FAILED',
  'REVERSED',
];
export type Deposit = {
  dialect: Dialect;
  externalId: string;
  status: string;
  address: string;
  memo: string | null;
  currencyId: string;
  networkId: string;
  amount: bigint;
  txHash: string;
  outputIndex: number;
  confirmations: number;
};
export const PAYOUT_STATUSES = ['PROCESSING', 'SENT', 'COMPLETED', 'FAILED'];
export type Order = Pick<Payout, 'reference' | 'currencyId' | 'networkId' | 'address' | 'memo' | 'amount'>;
export type Payout = {
  dialect: Dialect;
  reference: string;
  externalId: string;
  status: string;
  currencyId: string;
  networkId: string;
  address: string;
  memo: string | null;
  amount: bigint;
  txHash: string | null;
  confirmations: number;
  failedReason: string | null;
  at: Date;
};
export type Coins = Omit<Deposit, 'dialect' | 'externalId'>;
export type Books = ReturnType<typeof createBooks>;

/** As deep as any network of the platform wants it. */
const FINAL_CONFIRMATIONS = 30;
const STEP_MS = 25;

/** What a provider knows: whose addresses these are, the coins that came in, the payouts. Everything lives in memory. */
export function createBooks(parts: {
  /** Called after every change, with a record that nobody changes any more. */
  onDeposit: (deposit: Deposit) => void;
  onPayout: (payout: Payout) => void;
  settlesItself: () => boolean;
}) {
  const { onDeposit, onPayout, settlesItself } = parts;
  const accounts = new Map<string, Account>();
  const owners = new Map<string, Account>();
  const deposits = new Map<string, Deposit>();
  const payouts: Payout[] = [];
  const byReference = new Map<string, Payout[]>();

  const step = (deposit: Deposit, status: string, confirmations: number): void => {
    Object.assign(deposit, { status, confirmations });
    onDeposit({ ...deposit });
  };
  /** Coins on their way up to a status; a reorganisation meanwhile ends it. */
  const confirm = async (deposit: Deposit, status: string, confirmations: number): Promise<void> => {
    const way = ['DETECTED', 'CONFIRMING', 'COMPLETED'];
    const reached = way.indexOf(deposit.status);
    const goal = way.indexOf(status);
    for (const next of goal < 0 ? [status] : way.slice(goal === reached ? goal : reached + 1, goal + 1)) {
      if (deposit.status !== 'NEW') await sleep(STEP_MS, undefined, { ref: false });
      if (deposit.status === 'REVERSED') return;
      const depth = next === status ? confirmations : Math.min(next === 'CONFIRMING' ? 1 : 0, confirmations);
      step(deposit, next, depth);
    }
  };
  const advance = (payout: Payout, change: Partial<Payout>): void => {
    Object.assign(payout, change);
    if (payout.txHash === null && (payout.status === 'SENT' || payout.status === 'COMPLETED'))
      payout.txHash = makeTxHash(payout.networkId, payout.externalId);
    onPayout({ ...payout });
  };
  const settleItself = async (payout: Payout): Promise<void> => {
    for (const [from, to, confirmations] of [
      ['PROCESSING', 'PROCESSING', 0],
      ['PROCESSING', 'SENT', 0],
      ['SENT', 'COMPLETED', FINAL_CONFIRMATIONS],
    ] as const) {
      await sleep(STEP_MS, undefined, { ref: false });
      if (payout.status === from) advance(payout, { status: to, confirmations });
    }
  };

  return {
    /** The same account for the same reference. Undefined: no such network. */
    open(
      order: Pick<Account, 'dialect' | 'reference' | 'currencyId' | 'networkId'> & { externalId?: string },
    ): Account | undefined {
      const key = `${order.dialect}:${order.reference}`;
      const known = accounts.get(key);
      if (known) return known;
      const isShared = order.networkId === 'ripple';
      const address = makeAddress(order.networkId, isShared ? order.dialect : key);
      if (!address) return undefined;
      let memo = isShared ? makeTag(key) : null;
      while (memo !== null && owners.has(`${address}:${memo}`)) memo = (memo + 1) % 2 ** 32;
      const externalId = order.externalId ?? randomUUID();
      const account = { ...order, address, memo: memo === null ? null : String(memo), externalId };
      accounts.set(key, account);
      owners.set(`${address}:${account.memo ?? ''}`, account);
      return account;
    },
    accounts: () => [...accounts.values()],
    account: (dialect: Dialect, reference: string) => accounts.get(`${dialect}:${reference}`),
    ownerOf: (address: string, memo: string | null) => owners.get(`${address}:${memo ?? ''}`),

    /** Coins arrive, or those that are there already come further. Throws where they were others. */
    receive(coins: Coins): Deposit {
      const { txHash, outputIndex, networkId, address, memo, status, confirmations } = coins;
      const key = `${networkId}:${txHash}:${outputIndex}`;
      const known = deposits.get(key);
      if (known && (known.amount !== coins.amount || known.address !== address || known.memo !== memo))
        throw new Error('other coins came with this output');
      if (known?.status === 'REVERSED') throw new Error('these coins were reversed');
      const dialect = owners.get(`${address}:${memo ?? ''}`)?.dialect ?? 'sandbox';
      const fresh = { ...coins, dialect, externalId: randomUUID(), status: 'NEW' };
      const deposit: Deposit = known ?? fresh;
      deposits.set(key, deposit);
      void confirm(deposit, status, confirmations || (status === 'COMPLETED' ? FINAL_CONFIRMATIONS : 0));
      return deposit;
    },
    /** Coins that were never there after all. Answers how many outputs. */
    reverse(txHash: string, outputIndex: number | undefined): number {
      const gone = [...deposits.values()].filter(
        (d) => d.txHash === txHash && (outputIndex === undefined || d.outputIndex === outputIndex),
      );
      for (const deposit of gone) step(deposit, 'REVERSED', 0);
      return gone.length;
    },

    /** Makes a payout, whether there is one with this reference or not; a held one waits for `release`. */
    pay(dialect: Dialect, order: Order, { isHeld = false } = {}): Payout {
      const result = { txHash: null, confirmations: 0, failedReason: null, at: new Date() };
      const payout: Payout = { ...order, ...result, dialect, externalId: randomUUID(), status: 'PROCESSING' };
      payouts.push(payout);
      byReference.set(order.reference, [...(byReference.get(order.reference) ?? []), payout]);
      if (settlesItself() && !isHeld) void settleItself(payout);
      return payout;
    },
    /** Lets a payout that was held go its way. */
    release(payout: Payout): void {
      if (settlesItself()) void settleItself(payout);
    },
    payouts: (dialect: Dialect) => payouts.filter((payout) => payout.dialect === dialect),
    payoutsOf: (reference: string): readonly Payout[] => byReference.get(reference) ?? [],
    settle: advance,

    /** `in`: what is completed and was not reversed; `out`: what was sent. */
    read() {
      const totals: Record<string, { in: bigint; out: bigint }> = {};
      const add = (currencyId: string, side: 'in' | 'out', amount: bigint) => {
        totals[currencyId] ??= { in: 0n, out: 0n };
        totals[currencyId][side] += amount;
      };
      for (const deposit of deposits.values())
        if (deposit.status === 'COMPLETED') add(deposit.currencyId, 'in', deposit.amount);
      for (const { status, currencyId, amount } of payouts)
        if (status === 'SENT' || status === 'COMPLETED') add(currencyId, 'out', amount);
      return {
        deposits: [...deposits.values()].map(shown),
        payouts: payouts.map(shown),
        totals: Object.fromEntries(
          Object.entries(totals).map(([id, sum]) => [
            id,
            { in: formatAmount(sum.in), out: formatAmount(sum.out) },
          ]),
        ),
      };
    },
  };
}

const shown = <T extends { amount: bigint }>(record: T) => ({
  ...record,
  amount: formatAmount(record.amount),
});
