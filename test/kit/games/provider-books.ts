import { sql } from 'kysely';
import type { Db } from '../../../src/platform/database/db.ts';
import { formatUnits, type Units, units } from '../../../src/platform/money.ts';

/** The four dialects of the sandbox's aggregator, and the platform's slug for each as a provider. */
export const AGGREGATORS = {
  generic: 'sandbox',
  hub88: 'sandbox-hub88',
  softswiss: 'sandbox-softswiss',
  pragmatic: 'sandbox-pragmatic',
} as const;
export type BookName = keyof typeof AGGREGATORS;
export const BOOK_NAMES = Object.keys(AGGREGATORS) as BookName[];

/** The simulated services that record their calls to our wallet in their own books. */
const SLUGS = { ...AGGREGATORS, sportsbook: 'sportsbook' } as const;
type Book = keyof typeof SLUGS;
const BOOKS = Object.keys(SLUGS) as Book[];

/** The aggregator's own books (GET /games/books of the sandbox). */
export type AggregatorBooks = {
  pending: number;
  oddities: string[];
  books: Record<
    Book,
    {
      transactions: {
        id: string;
        type: string;
        player: string;
        currency: string;
        round: string;
        amount: string;
        /** The amount by which the transaction changes the player's cash while its state is DONE. */
        effect: string;
        state: 'PENDING' | 'DONE' | 'REFUSED' | 'UNDONE';
        reference: string | null;
        isFree: boolean;
        tries: number;
      }[];
      rounds: { id: string; playerId: string; isClosed: boolean }[];
      net: Record<string, Record<string, string>>;
    }
  >;
};
type Theirs = AggregatorBooks['books'][Book]['transactions'][number];

type Ours = {
  slug: string;
  id: string;
  type: string;
  player: string;
  currency: string;
  amount: Units;
  status: string;
  round: string | null;
  isClosed: boolean | null;
};

/**
 * Allowed states of a transaction in our books for each state in the aggregator's books. A tombstone or a rejected call never moved money.
 */
const FITTING: Readonly<Record<Theirs['state'], readonly (string | undefined)[]>> = {
  PENDING: [],
  DONE: ['DONE'],
  UNDONE: ['UNDONE', 'TOMBSTONE', 'REFUSED'],
  REFUSED: ['REFUSED', 'TOMBSTONE', undefined],
};

/**
 * The types that a transaction may have in our books, by the reason that the sportsbook gives. If the stake is not cash, all of its
 * transactions are free.
 */
const SETTLEMENT = ['WIN', 'FREE_WIN'];
const TYPES: Readonly<Record<string, readonly string[]>> = {
  bet: ['BET'],
  freebet: ['BET', 'FREE_BET'],
  settle: SETTLEMENT,
  resettle: SETTLEMENT,
  cancelsettle: SETTLEMENT,
  'cash-out': SETTLEMENT,
  void: SETTLEMENT,
  partial: SETTLEMENT,
  'freebet-settle': SETTLEMENT,
  award: ['PROMO_WIN'],
  release: ['PROMO_WIN'],
  retract: ['PROMO_WIN'],
  rollback: ['ROLLBACK'],
};

const FREE: readonly string[] = ['BET', 'WIN'];
const typesOf = ({ type, isFree }: Theirs): readonly string[] =>
  TYPES[type] ?? [isFree && FREE.includes(type) ? `FREE_${type}` : type];

/**
 * Returns all differences between the aggregator's books and ours: of transactions, of rounds, and of money by player and currency. A
 * report that could not be booked is not a difference if it is stored as a finding for staff.
 */
export async function compareAggregator(db: Db, said: AggregatorBooks): Promise<string[]> {
  const known = { ours: await readOurs(db), reported: await readReported(db) };
  const left = new Set(BOOKS.flatMap((name) => leftToStaff(said, name, known)));
  return [
    ...said.oddities.map((oddity) => `the aggregator wonders: ${oddity}`),
    ...BOOKS.flatMap((name) => transactionsOf(said, name, { ours: known.ours, left })),
    ...BOOK_NAMES.flatMap((name) => roundsOf(said, name, known.ours)),
    ...(await money(db, said, netOf(left, known.ours))),
  ];
}

/** Reads the keys of reports that are findings for staff. */
async function readReported(db: Db): Promise<Set<string>> {
  const { rows } = await sql<{ slug: string; id: string }>`
    select p.slug, f.subject as id from provider_findings f join game_providers p on p.id = f.provider_id
    where f.kind = 'UNBOOKED_REPORT'`.execute(db);
  return new Set(rows.map(({ slug, id }) => `${slug} ${id}`));
}

type Known = { ours: Map<string, Ours>; reported: Set<string> };

/** Returns the reports that wait for a decision by staff, and the transactions that such a report reverses. */
function leftToStaff({ books }: AggregatorBooks, name: Book, { ours, reported }: Known): Theirs[] {
  const { transactions } = books[name];
  const unbooked = transactions.filter((theirs) => {
    const key = keyOf(name, theirs);
    return (
      theirs.state === 'DONE' && reported.has(key) && [undefined, 'REFUSED'].includes(ours.get(key)?.status)
    );
  });
  const takenBack = new Set(
    unbooked.filter(({ type }) => type === 'rollback').map(({ reference }) => reference),
  );
  return [...unbooked, ...transactions.filter(({ id, state }) => state === 'UNDONE' && takenBack.has(id))];
}

async function readOurs(db: Db): Promise<Map<string, Ours>> {
  const { rows } = await sql<Ours>`
    select p.slug, t.transaction_id as id, t.type, t.user_id::text as player, t.currency_id as currency, t.amount, t.status,
      r.round_ref as round, r.status = 'CLOSED' as "isClosed"
    from provider_transactions t join game_providers p on p.id = t.provider_id left join provider_rounds r on r.id = t.round_id
    where p.slug in (${sql.join(Object.values(SLUGS))})`.execute(db);
  return new Map(rows.map((row) => [`${row.slug} ${row.id}`, row]));
}

/** In Pragmatic Play's books, a refund has the id of its bet. Our books store it under a separate id. */
const keyOf = (name: Book, { id, type }: Theirs): string =>
  `${SLUGS[name]} ${name === 'pragmatic' && type === 'ROLLBACK' ? `refund:${id}` : id}`;

function transactionsOf(
  { books }: AggregatorBooks,
  name: Book,
  { ours, left }: { ours: Map<string, Ours>; left: ReadonlySet<Theirs> },
): string[] {
  const own = new Set([...ours.keys()].filter((key) => key.startsWith(`${SLUGS[name]} `)));
  const problems = books[name].transactions.flatMap((theirs) => {
    const key = keyOf(name, theirs);
    own.delete(key);
    if (left.has(theirs)) return [];
    return differenceOf(theirs, ours.get(key)).map((text) => `${key} (${theirs.type}): ${text}`);
  });
  return [...problems, ...[...own].map((key) => `${key}: the aggregator does not know it`)];
}

function differenceOf(theirs: Theirs, row: Ours | undefined): string[] {
  if (!FITTING[theirs.state].includes(row?.status))
    return [`${theirs.state} there, ${row?.status ?? 'missing'} here`];
  if (row === undefined || row.status === 'TOMBSTONE') return [];
  const facts = [
    ['player', theirs.player, row.player],
    ['currency', theirs.currency, row.currency],
    ...(typesOf(theirs).includes(row.type) ? [] : [['type', theirs.type, row.type]]),
    // A rollback reverses the amount that is stored for the bet, regardless of the amount in the rollback.
    ...(theirs.type === 'ROLLBACK'
      ? []
      : [['amount', theirs.amount, formatUnits(row.amount < 0n ? -row.amount : row.amount)]]),
    ...(row.status === 'DONE' && row.round !== null ? [['round', theirs.round, row.round]] : []),
  ];
  return facts.flatMap(([fact, there, here]) =>
    there === here ? [] : [`${fact} ${there} there, ${here} here`],
  );
}

function roundsOf({ books }: AggregatorBooks, name: BookName, ours: Map<string, Ours>): string[] {
  const closed = new Map<string, boolean>();
  for (const { slug, player, round, isClosed } of ours.values())
    if (slug === AGGREGATORS[name] && round !== null) closed.set(`${player} ${round}`, isClosed!);
  const staked = new Set(
    books[name].transactions
      .filter(({ type, state }) => type === 'BET' && state === 'DONE')
      .map(({ player, round }) => `${player} ${round}`),
  );
  return books[name].rounds.flatMap(({ id, playerId, isClosed }) => {
    const key = `${playerId} ${id}`;
    if (!staked.has(key)) return closed.get(key) === false ? [`round ${key} of ${name} is open here`] : [];
    return closed.get(key) === isClosed
      ? []
      : [`round ${key} of ${name}: closed ${isClosed} there, ${closed.get(key)} here`];
  });
}

/** Compares each player's change in money, minus their debt, in the provider's books and in the ledger. */
async function money(
  db: Db,
  { books }: AggregatorBooks,
  leftToStaff: ReadonlyMap<string, Units>,
): Promise<string[]> {
  const { rows } = await sql<{ key: string; net: Units }>`
    select user_id || ' ' || currency_id as key, sum(case when credit in (1, 3, 110) then amount else -amount end)::int8 as net
    from ledger_lines
    where (debit in (1, 3, 110)) <> (credit in (1, 3, 110))
      and (kind like 'provider.%' or kind like 'bet.%' and entry_id in (select bet_id from provider_rounds))
    group by 1`.execute(db);
  const here = new Map(rows.map(({ key, net }) => [key, net]));
  const there = new Map<string, Units>();
  for (const name of BOOKS)
    for (const [player, sums] of Object.entries(books[name].net))
      for (const [currency, net] of Object.entries(sums)) {
        const key = `${player} ${currency}`;
        there.set(key, (there.get(key) ?? 0n) + signed(net));
      }
  return [...new Set([...here.keys(), ...there.keys()])].flatMap((key) => {
    const [own, theirs] = [here.get(key) ?? 0n, (there.get(key) ?? 0n) - (leftToStaff.get(key) ?? 0n)];
    return own === theirs
      ? []
      : [`player ${key}: the aggregator has ${formatUnits(theirs)}, the ledger ${formatUnits(own)}`];
  });
}

/**
 * Sums, by player and currency, the amounts of transactions that wait for a decision by staff. The aggregator's books include them and ours
 * do not.
 */
function netOf(left: ReadonlySet<Theirs>, ours: Map<string, Ours>): Map<string, Units> {
  const sums = new Map<string, Units>();
  for (const { id, player, currency, effect, state } of left) {
    const key = `${player} ${currency}`;
    const isHere = ours.get(`${SLUGS.sportsbook} ${id}`)?.status === 'DONE';
    const difference = (state === 'DONE' ? signed(effect) : 0n) - (isHere ? signed(effect) : 0n);
    sums.set(key, (sums.get(key) ?? 0n) + difference);
  }
  return sums;
}

const signed = (text: string): Units => (text.startsWith('-') ? -units(text.slice(1)) : units(text));
