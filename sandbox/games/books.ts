import { formatAmount } from '../payments-amounts.ts';

/** The protocol with which the platform was called. */
export type BookName = 'generic' | 'hub88' | 'softswiss' | 'pragmatic' | 'sportsbook';

/** PENDING: the outcome is not known yet. UNDONE: rolled back, regardless of whether the platform ever booked it. */
export type State = 'PENDING' | 'DONE' | 'REFUSED' | 'UNDONE';

/**
 * A transaction sent to the platform. `type`: BET, WIN, ROLLBACK, FREE_SPIN_WIN, PROMO_WIN, JACKPOT, ADJUSTMENT, or a sportsbook reason.
 * `effect`: change in the player's cash while the state is DONE. `answer`: the platform's latest code for it.
 */
export type Transaction = {
  book: BookName;
  id: string;
  type: string;
  playerId: string;
  currency: string;
  amount: bigint;
  effect: bigint;
  roundId: string | null;
  gameCode: string | null;
  reference: string | null;
  isFree: boolean;
  /** The award of free rounds that the transaction belongs to. */
  award: string | null;
  state: State;
  answer: string | null;
  tries: number;
  at: Date;
};

export type Round = {
  book: BookName;
  id: string;
  playerId: string;
  currency: string;
  gameCode: string | null;
  isClosed: boolean;
  at: Date;
};

export type Books = ReturnType<typeof createBooks>;
type NewTransaction = Omit<Transaction, 'state' | 'answer' | 'tries' | 'at'>;

/** The aggregator's books: every transaction that it expects the platform to have booked. */
export function createBooks() {
  const rounds = new Map<string, Round>();
  const transactions = new Map<string, Transaction>();
  const oddities: string[] = [];
  const keyOf = ({ book, type, id }: { book: BookName; type: string; id: string }) => `${book} ${type} ${id}`;
  return {
    /** Returns the round with this id, and opens the round if it is new. */
    round(about: Omit<Round, 'isClosed' | 'at'>): Round {
      const key = `${about.book} ${about.playerId} ${about.id}`;
      const round = rounds.get(key) ?? { ...about, isClosed: false, at: new Date() };
      rounds.set(key, round);
      return round;
    },
    /** Adds a transaction. If a transaction with this id exists, it stays unchanged. */
    enter(transaction: NewTransaction): Transaction {
      const key = keyOf(transaction);
      const known = transactions.get(key);
      if (known) return known;
      const entered: Transaction = {
        ...transaction,
        state: 'PENDING',
        answer: null,
        tries: 0,
        at: new Date(),
      };
      transactions.set(key, entered);
      return entered;
    },
    find: (book: BookName, id: string, type?: string): Transaction | undefined =>
      type
        ? transactions.get(keyOf({ book, type, id }))
        : [...transactions.values()].find((one) => one.book === book && one.id === id),
    /** Removes a transaction, so that the aggregator's books differ from the platform's. */
    remove: (transaction: Transaction): boolean => transactions.delete(keyOf(transaction)),
    /** Returns a protocol's DONE and UNDONE transactions made in a time range (`to` is exclusive). */
    report(
      book: BookName,
      from: Date,
      to: Date,
    ): { transaction: Transaction; isRoundClosed: boolean | null }[] {
      return [...transactions.values()]
        .filter((one) => one.book === book && (one.state === 'DONE' || one.state === 'UNDONE'))
        .filter(({ at }) => at >= from && at < to)
        .map((transaction) => ({
          transaction,
          isRoundClosed:
            rounds.get(`${book} ${transaction.playerId} ${transaction.roundId}`)?.isClosed ?? null,
        }));
    },
    /** Records an incorrect response from the platform. */
    oddity: (text: string): void => void oddities.push(text),
    read: () => readBooks([...transactions.values()], [...rounds.values()], oddities),
  };
}

function readBooks(
  transactions: readonly Transaction[],
  rounds: readonly Round[],
  oddities: readonly string[],
) {
  const names = ['generic', 'hub88', 'softswiss', 'pragmatic', 'sportsbook'] as const;
  const books = names.map((book) => {
    const own = transactions.filter((one) => one.book === book);
    return [
      book,
      { transactions: own.map(shown), net: netOf(own), rounds: rounds.filter((r) => r.book === book) },
    ];
  });
  const pending = transactions.filter(({ state }) => state === 'PENDING').length;
  return { pending, oddities, books: Object.fromEntries(books) as Record<BookName, object> };
}

function shown({ book: _, playerId, roundId, amount, effect, ...rest }: Transaction) {
  return {
    ...rest,
    player: playerId,
    round: roundId,
    amount: formatAmount(amount),
    effect: formatAmount(effect),
  };
}

/** Returns the net change in cash by player and currency. */
function netOf(transactions: readonly Transaction[]): Record<string, Record<string, string>> {
  const sums = new Map<string, Map<string, bigint>>();
  for (const { playerId, currency, effect, state } of transactions) {
    if (state !== 'DONE') continue;
    const own = sums.get(playerId) ?? new Map<string, bigint>();
    sums.set(playerId, own.set(currency, (own.get(currency) ?? 0n) + effect));
  }
  return Object.fromEntries(
    [...sums].map(([player, own]) => [
      player,
      Object.fromEntries([...own].map(([currency, sum]) => [currency, formatAmount(sum)])),
    ]),
  );
}
