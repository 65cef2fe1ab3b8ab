import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeAddress, makeTag, makeTxHash } from './payments-addresses.ts';
import { formatAmount } from './payments-amounts.ts';

export type Dialect = 'sandbox' | 'nowpayments' | 'btcpay';
export const DEPOSIT_STATUSES = [
  'DETECTED',
  'CONFIRMING',
  'COMPLETED',
  'PARTIALLY_PAID',
  'EXPIRED',
  'FAILED',
  'REVERSED',
];
export const PAYOUT_STATUSES = ['PROCESSING', 'SENT', 'COMPLETED', 'FAILED'];

type Known = {
  dialect: Dialect;
  externalId: string;
  currencyId: string;
  networkId: string;
  address: string;
  memo: string | null;
};
/** The owner of an address, or of a memo at a shared address. */
export type Account = Known & { reference: string };
export type Deposit = Known & {
  status: string;
  amount: bigint;
  txHash: string;
  outputIndex: number;
  confirmations: number;
};
export type Payout = Known & {
  reference: string;
  status: string;
  amount: bigint;
  txHash: string | null;
  confirmations: number;
  failedReason: string | null;
  at: Date;
};
export type Order = Pick<Payout, 'reference' | 'currencyId' | 'networkId' | 'address' | 'memo' | 'amount'>;
type Coins = Omit<Deposit, 'dialect' | 'externalId'>;
export type Books = ReturnType<typeof createBooks>;
/** Called after every change with a copy of the record, which later changes do not affect. */
type Changed<T> = (record: T) => void;

/** Number of confirmations after which a deposit is final. It is at least the number that any network of the platform requires. */
const FINAL_CONFIRMATIONS = 30;
const STEP_MS = 25;
const pause = () => sleep(STEP_MS, undefined, { ref: false });

/** The provider's in-memory state: owners of addresses, received coins and payouts. */
export function createBooks({
  onDeposit,
  onPayout,
  settlesItself,
}: {
  onDeposit: Changed<Deposit>;
  onPayout: Changed<Payout>;
  settlesItself: () => boolean;
}) {
  const accounts = createAccounts();
  const deposits = createDeposits(accounts, onDeposit);
  const payouts = createPayouts(settlesItself, onPayout);
  return {
    open: accounts.open,
    accounts: accounts.all,
    ownerOf: accounts.ownerOf,
    receive: deposits.receive,
    reverse: deposits.reverse,
    pay: payouts.pay,
    release: payouts.release,
    settle: payouts.advance,
    payouts: (dialect: Dialect) => payouts.all.filter((payout) => payout.dialect === dialect),
    payoutsOf: (reference: string) => payouts.all.filter((payout) => payout.reference === reference),

    /** Returns the totals by currency. `in`: completed deposits that were not reversed. `out`: sent payouts. */
    read() {
      const received = deposits.all().filter(({ status }) => status === 'COMPLETED');
      const sent = payouts.all.filter(({ status }) => status === 'SENT' || status === 'COMPLETED');
      const currencyIds = new Set([...received, ...sent].map(({ currencyId }) => currencyId));
      const sumOf = (of: readonly (Deposit | Payout)[], id: string) =>
        formatAmount(of.reduce((sum, one) => sum + (one.currencyId === id ? one.amount : 0n), 0n));
      return {
        deposits: deposits.all().map(shown),
        payouts: payouts.all.map(shown),
        totals: Object.fromEntries(
          [...currencyIds].map((id) => [id, { in: sumOf(received, id), out: sumOf(sent, id) }]),
        ),
      };
    },
  };
}

const shown = <T extends { amount: bigint }>(record: T) => ({
  ...record,
  amount: formatAmount(record.amount),
});

function createAccounts() {
  const accounts = new Map<string, Account>();
  const owners = new Map<string, Account>();
  const ownerOf = (address: string, memo: string | null) => owners.get(`${address}:${memo ?? ''}`);
  return {
    all: () => [...accounts.values()],
    ownerOf,
    /** Returns the same account for the same reference. Returns undefined if the network is unknown. */
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
      while (memo !== null && ownerOf(address, String(memo))) memo = (memo + 1) % 2 ** 32;
      const externalId = order.externalId ?? randomUUID();
      const account = { ...order, address, memo: memo === null ? null : String(memo), externalId };
      accounts.set(key, account);
      owners.set(`${address}:${account.memo ?? ''}`, account);
      return account;
    },
  };
}

function createDeposits({ ownerOf }: ReturnType<typeof createAccounts>, onChange: Changed<Deposit>) {
  const deposits = new Map<string, Deposit>();
  const step = (deposit: Deposit, status: string, confirmations: number): void => {
    Object.assign(deposit, { status, confirmations });
    onChange({ ...deposit });
  };
  /** Advances a deposit step by step to a status. Stops if a reorganisation removes the deposit in the meantime. */
  const confirm = async (deposit: Deposit, status: string, confirmations: number): Promise<void> => {
    const way = ['DETECTED', 'CONFIRMING', 'COMPLETED'];
    const reached = way.indexOf(deposit.status);
    const goal = way.indexOf(status);
    for (const next of goal < 0 ? [status] : way.slice(goal === reached ? goal : reached + 1, goal + 1)) {
      if (deposit.status !== 'NEW') await pause();
      if (deposit.status === 'REVERSED') return;
      const depth = next === status ? confirmations : Math.min(next === 'CONFIRMING' ? 1 : 0, confirmations);
      step(deposit, next, depth);
    }
  };
  return {
    all: () => [...deposits.values()],
    /**
     * Adds incoming coins, or advances the status of coins that were received before. Throws if other coins have the same transaction
     * output.
     */
    receive(coins: Coins): Deposit {
      const { txHash, outputIndex, networkId, address, memo, status, confirmations } = coins;
      const key = `${networkId}:${txHash}:${outputIndex}`;
      const known = deposits.get(key);
      if (known && (known.amount !== coins.amount || known.address !== address || known.memo !== memo))
        throw new Error('this output already contains other coins');
      if (known?.status === 'REVERSED') throw new Error('this deposit was reversed');
      const dialect = ownerOf(address, memo)?.dialect ?? 'sandbox';
      const deposit: Deposit = known ?? { ...coins, dialect, externalId: randomUUID(), status: 'NEW' };
      deposits.set(key, deposit);
      void confirm(deposit, status, confirmations || (status === 'COMPLETED' ? FINAL_CONFIRMATIONS : 0));
      return deposit;
    },
    /** Simulates a chain reorganisation, after which the coins never arrived. Returns the number of removed outputs. */
    reverse(txHash: string, outputIndex: number | undefined): number {
      const gone = [...deposits.values()].filter(
        (d) => d.txHash === txHash && (outputIndex === undefined || d.outputIndex === outputIndex),
      );
      for (const deposit of gone) step(deposit, 'REVERSED', 0);
      return gone.length;
    },
  };
}

function createPayouts(settlesItself: () => boolean, onChange: Changed<Payout>) {
  const all: Payout[] = [];
  const advance = (payout: Payout, change: Partial<Payout>): void => {
    Object.assign(payout, change);
    if (payout.txHash === null && (payout.status === 'SENT' || payout.status === 'COMPLETED'))
      payout.txHash = makeTxHash(payout.networkId, payout.externalId);
    onChange({ ...payout });
  };
  const settleItself = async (payout: Payout): Promise<void> => {
    for (const [from, to, confirmations] of [
      ['PROCESSING', 'PROCESSING', 0],
      ['PROCESSING', 'SENT', 0],
      ['SENT', 'COMPLETED', FINAL_CONFIRMATIONS],
    ] as const) {
      await pause();
      if (payout.status === from) advance(payout, { status: to, confirmations });
    }
  };
  /** Lets a held payout proceed. */
  const release = (payout: Payout): void => {
    if (settlesItself()) void settleItself(payout);
  };
  return {
    all,
    advance,
    release,
    /** Creates a payout, even if there already is one with this reference. A held payout waits for `release`. */
    pay(dialect: Dialect, order: Order, { isHeld = false } = {}): Payout {
      const result = { txHash: null, confirmations: 0, failedReason: null, at: new Date() };
      const payout: Payout = { ...order, ...result, dialect, externalId: randomUUID(), status: 'PROCESSING' };
      all.push(payout);
      if (!isHeld) release(payout);
      return payout;
    },
  };
}
