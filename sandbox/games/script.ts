import { formatAmount } from '../payments-amounts.ts';
import { readAmount } from './amounts.ts';
import type { Books, Transaction } from './books.ts';
import type { Operation, Speech, Verdict } from './dialect.ts';
import type { Session } from './sessions.ts';
import type { Till } from './till.ts';
import type { Wallet } from './wallet.ts';

/** The platform's response to one message in a script. `code` is null if no response was read. */
export type Said = {
  step: string;
  kind: Verdict['kind'] | 'none';
  code: string | null;
  balance: string | null;
};

type Parts = { books: Books; till: Till; wallet: Wallet };
type Playing = Parts & { speech: Speech; session: Session };

const TYPES: Readonly<Record<string, string>> = {
  b: 'BET',
  w: 'WIN',
  x: 'ROLLBACK',
  f: 'FREE_SPIN_WIN',
  p: 'PROMO_WIN',
  j: 'JACKPOT',
  a: 'ADJUSTMENT',
};
const MONEY =
  /^([bwxfpja]\d*)(?:>([bwfpja]\d+))?(?: +(-?\d+(?:\.\d+)?))?( +free)?(?: +@(\d+))?(?: +as +(\S+?))? *(!)?$/;
const MOST_TIMES = 1000;

/** Help text for the reference and the page. */
export const SCRIPT_HELP =
  'Steps are separated by commas: b1 10 is the bet b1 of 10, w1 25 a win, x>b1 a rollback of b1 (x2>b1 uses another id), f1 a win of free spins, p1 a promo win, j1 a jackpot, a1 -4 an adjustment; balance, auth and end request a balance, an authentication and the end of the round. After a step, ! closes the round, free marks a free bet, @2 selects the second round (default: the first) and as 43 another player. *3 repeats a step, &3 sends it three times concurrently, and ~ before a step signs it wrongly. [b1 4, w1 9] is one message, with @ and ! after it. Within a session, a name always means the same transaction.';

/** Sends each step once as written, and returns the platform's responses. Throws an Error if a step is invalid. */
export async function runScript(
  parts: Parts,
  speech: Speech,
  session: Session,
  script: string,
): Promise<Said[]> {
  const playing = { ...parts, speech, session };
  const said: Said[] = [];
  for (const step of script.split(/,(?![^[]*\])/).map((text) => text.trim())) {
    if (step === '') continue;
    const [, forged, text = '', mode, count] = /^(~)?(.*?)(?: *([*×&])(\d+))?$/.exec(step)!;
    const times = Math.min(Number(count ?? 1), MOST_TIMES);
    const operation = read(playing, text.trim());
    const send = () => sendOnce(playing, operation, { step, isForged: Boolean(forged) });
    if (mode === '&') said.push(...(await Promise.all(Array.from({ length: times }, send))));
    else for (let n = 0; n < times; n++) said.push(await send());
  }
  return said;
}

function read(playing: Playing, text: string): Operation {
  const { session } = playing;
  const about = { session, transactions: [], closes: false };
  if (text === 'balance') return { kind: 'BALANCE', roundId: null, ...about };
  if (text === 'auth') return { kind: 'AUTHENTICATE', roundId: null, ...about };
  const [, round] = /^end(?: +@(\d+))?$/.exec(text) ?? [];
  if (text.startsWith('end'))
    return { kind: 'END', roundId: roundOf(playing, round), ...about, closes: true };
  const group = /^\[(.*)\](?: *@(\d+))? *(!)?$/.exec(text);
  const parts = (group ? group[1]! : text)
    .split(',')
    .map((part) => readMoney(playing, group?.[2] ? `${part.trim()} @${group[2]}` : part.trim()));
  return {
    kind: 'MONEY',
    session,
    roundId: parts[0]!.roundId,
    transactions: parts.map(({ transaction }) => transaction),
    closes: group?.[3] === '!' || parts.some(({ closes }) => closes),
  };
}

function readMoney(playing: Playing, text: string) {
  const { session, speech, till, books } = playing;
  const [, name, target, amountText, free, round, playerId, closes] = MONEY.exec(text) ?? [];
  if (!name) throw new Error(`${text} is not a step. ${SCRIPT_HELP}`);
  const type = TYPES[name[0]!]!;
  const reference = target ? named(playing, target) : type === 'WIN' ? lastBet(playing) : null;
  if (type === 'ROLLBACK' && !reference) throw new Error(`${text}: name the transaction to roll back (x>b1)`);
  const original = reference ? books.find(speech.dialect, reference) : undefined;
  const roundId = round || !original?.roundId ? roundOf(playing, round) : original.roundId;
  const id = type === 'ROLLBACK' ? speech.rollbackId?.(reference!) : undefined;
  const amount = readAmount(amountText ?? '0') ?? 0n;
  const about = {
    type,
    amount,
    roundId,
    id: id ?? named(playing, target ? `${name}>${target}` : name),
    playerId,
    reference,
    isFree: Boolean(free),
  };
  const entered = till.enter(speech, session, about);
  // A repeated id with different content is sent as written, but the books keep the first version.
  const isOther =
    entered.amount !== amount ||
    entered.roundId !== roundId ||
    (playerId ?? entered.playerId) !== entered.playerId;
  const transaction = isOther
    ? { ...entered, amount, roundId, playerId: playerId ?? entered.playerId }
    : entered;
  if (type === 'BET') session.names.set('last bet', entered.id);
  return { transaction, roundId, closes: Boolean(closes) };
}

/** Returns the id that a name stands for in this session. */
function named({ session, speech }: Playing, name: string): string {
  const id = session.names.get(name) ?? speech.newId(name);
  session.names.set(name, id);
  return id;
}

const lastBet = ({ session }: Playing): string | null => session.names.get('last bet') ?? null;

function roundOf({ session, speech }: Playing, number = '1'): string {
  const name = `round ${number}`;
  const id = session.names.get(name) ?? speech.newRoundId();
  session.names.set(name, id);
  return id;
}

async function sendOnce(
  { speech, wallet, books }: Playing,
  operation: Operation,
  { step, isForged }: { step: string; isForged: boolean },
): Promise<Said> {
  const reply = await wallet.attempt(speech.message(operation, isForged));
  if (!reply) return { step, kind: 'none', code: null, balance: null };
  const { kind, code, balance } = speech.judge(reply, operation);
  for (const transaction of operation.transactions) note(books, transaction, { kind, code });
  const { session, roundId: id } = operation;
  if (operation.closes && kind === 'done' && id) {
    const { id: playerId, currency } = session.player!;
    books.round({ book: speech.dialect, id, playerId, currency, gameCode: session.gameCode }).isClosed = true;
  }
  return { step, kind, code, balance: balance === null ? null : formatAmount(balance) };
}

function note(books: Books, transaction: Transaction, { kind, code }: Pick<Verdict, 'kind' | 'code'>): void {
  transaction.tries++;
  transaction.answer = code;
  if (kind === 'again') return;
  if (transaction.state === 'PENDING') transaction.state = kind === 'done' ? 'DONE' : 'REFUSED';
  const { type, reference, book } = transaction;
  if (type !== 'ROLLBACK' || kind !== 'done' || !reference) return;
  const original = books.find(book, reference, 'BET') ?? books.find(book, reference, 'WIN');
  if (original && original.state !== 'REFUSED') original.state = 'UNDONE';
}
