import type { Answer, Message, Move, MoveType, Status } from './dialect.ts';
import { Failure, isSame, type Table } from './table.ts';

/**
 * A step of a case in the specification's notation: `b1 10: OK 90` sends bet b1 of 10 in the round, and expects the canonical status and
 * the balance. Letters: b bet, w win, x>b1 rollback of b1 (x2>b1 with another id), f free spins, j jackpot, p promotion, a adjustment, r
 * resettle, c cancelsettle, g freebet. `!` after a step closes the round, and the step `end` only closes the round. `balance` requests the
 * balance. [b1 4, w1 9] is one message. `@2` is another round, `as other` another player, `free` a free bet or win, `of b2` a win of that
 * bet, and `+ p1 3` a promotion's part of a win. SAME: OK, with the same response as the first time.
 */
const STEP =
  /^(?<said>.+?)(?<closes> ?!)?(?<other> as other)?(?: @(?<round>\d+))?: (?<status>[A-Z_]+)(?: (?<balance>-?[\d.]+))?$/;
const MOVE =
  /^(?<name>(?<letter>[bwxfjparcg])\d*)(?:>(?<target>[bw]\d+))?(?: (?<amount>-?[\d.]+|too fine))?(?<free> free)?(?: of (?<bet>b\d+))?(?: \+ (?<promo>p\d+) (?<part>[\d.]+))?$/;
const TYPES: Readonly<Record<string, MoveType>> = {
  b: 'bet',
  w: 'win',
  x: 'rollback',
  f: 'freeSpins',
  j: 'jackpot',
  p: 'promo',
  a: 'adjustment',
  r: 'resettle',
  c: 'cancelSettle',
  g: 'freeBet',
};

type Read = { message: Message; names: string[] };

/** Runs the steps in order. Throws a Failure that names the first step with an unexpected response. */
export async function play(table: Table, steps: readonly string[]): Promise<void> {
  const firsts = new Map<string, Answer>();
  let last: { who: 'me' | 'other'; balance: string } | undefined;
  for (const step of steps) {
    const parts = STEP.exec(step)?.groups;
    if (!parts) throw new Error(`${step} is not a step`);
    const who = parts.other ? 'other' : 'me';
    const { message, names } = await read(table, step);
    const isSameAgain = parts.status === 'SAME';
    const expected = isSameAgain ? 'OK' : (parts.status as Status);
    const answer = await table.say(message, { expected });
    const found = problemIn(table, { answer, expected, balance: parts.balance });
    if (found) throw new Failure(`${step}: ${found}`);
    const first = firsts.get(names.join());
    if (isSameAgain && first) assertSame(step, answer, first);
    firsts.set(names.join(), first ?? answer);
    if (parts.balance) last = { who, balance: parts.balance };
  }
  if (last) await table.assertCash(last.balance, last.who);
}

/** Returns the message of a step, without the expected response. */
export async function read(table: Table, step: string): Promise<Read> {
  const {
    said = step,
    closes,
    other,
    round = '1',
  } = STEP.exec(step.includes(': ') ? step : `${step}: OK`)?.groups ?? {};
  const { seat } = await table.guest(other ? 'other' : 'me');
  const common = { seat, round: table.roundOf(round), closes: Boolean(closes) || said === 'end' };
  if (said === 'balance' || said === 'end') return { message: { ...common, moves: [] }, names: [said] };
  const texts = said.startsWith('[') ? said.slice(1, -1).split(', ') : [said];
  const moves = texts.map((text) => readMove(table, text));
  return { message: { ...common, moves }, names: texts };
}

function readMove(table: Table, text: string): Move {
  const parts = MOVE.exec(text)?.groups;
  if (!parts) throw new Error(`${text} is not a transaction`);
  const { dialect } = table.line;
  const idOf = (name: string) => table.idOf(name, () => dialect.newId(TYPES[name[0]!]!));
  const { name, letter, target, amount, bet, promo, part } = parts;
  const type = TYPES[letter!]!;
  // In dialects that need a reference, a win refers to the first bet.
  const reference =
    target ?? (letter === 'w' || letter === 'c' || letter === 'r' ? (bet ?? 'b1') : undefined);
  return {
    type,
    id: idOf(target ? `${name}>${target}` : name!),
    amount: amount ?? '0',
    ...(reference === undefined ? {} : { reference: idOf(reference) }),
    ...(parts.free ? { isFree: true } : {}),
    ...(promo ? { promo: { id: idOf(promo), amount: part! } } : {}),
  };
}

type Expected = { answer: Answer; expected: Status; balance?: string | undefined };

/** Returns the problem with a response, or undefined if there is none. */
export function problemIn(table: Table, { answer, expected, balance }: Expected): string | undefined {
  const code = table.line.dialect.codes[expected];
  if (code === undefined) throw new Error(`${table.line.dialect.name} has no code for ${expected}`);
  if (answer.code !== code) return `expected ${code} got ${answer.code}`;
  // If a response contains no balance, the final balance is requested separately.
  if (balance !== undefined && answer.balance !== undefined && !isSame(answer.balance, balance))
    return `expected a balance of ${balance} got ${answer.balance}`;
  return undefined;
}

function assertSame(step: string, answer: Answer, first: Answer): void {
  if (answer.isRepeated === false) throw new Failure(`${step}: expected the response to report a repeat`);
  if (answer.ids.join() !== first.ids.join())
    throw new Failure(`${step}: expected the ids ${first.ids.join()} got ${answer.ids.join()}`);
}
