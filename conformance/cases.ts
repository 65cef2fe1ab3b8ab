/**
 * The cases of `providers.md` section 7. If a case has no letters there, it applies to every games wallet (G, H, S, P), and to the
 * sportsbook (B) where it makes sense.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fromUnits, toUnits } from './amounts.ts';
import type { Case } from './case.ts';
import { Skip } from './operator.ts';
import { play, problemIn, read } from './script.ts';
import { sportsbookCases } from './sportsbook-cases.ts';
import { Failure, type Table } from './table.ts';
import { at, expectBets, isWanted } from './watch.ts';

const GAMES = 'GHSP';
const ALL = 'GHSPB';
const NOBODY = '2147483646';

const identity: readonly Case[] = [
  { number: 1, title: 'balance', in: ALL, steps: ['balance: OK 100'] },
  { number: 2, title: 'a bet', in: ALL, steps: ['b1 10: OK 90'] },
  {
    number: 3,
    title: 'a bet and its win: the bet is settled',
    in: ALL,
    steps: ['b1 10: OK 90', 'w1 25!: OK 115'],
    run: (table) => expectBets(table, 'SETTLED 10 25'),
  },
  { number: 4, title: 'a bet that wins nothing', in: ALL, steps: ['b1 10: OK 90', 'w1 0!: OK 90'] },
  {
    number: 5,
    title: 'the same bet three times',
    in: ALL,
    steps: ['b1 10: OK 90', 'b1 10: SAME 90', 'b1 10: SAME 90'],
  },
  { number: 6, title: 'the same bet 100 times concurrently', in: ALL, run: sameBetAtOnce },
  {
    number: 7,
    title: 'the same id with another amount',
    in: ALL,
    steps: ['b1 10: OK 90', 'b1 11: CONFLICT 90'],
  },
  {
    number: 8,
    title: 'the same id in another round',
    in: ALL,
    steps: ['b1 10: OK 90', 'b1 10 @2: CONFLICT 90'],
  },
  {
    number: 9,
    title: 'the same id of another player',
    in: ALL,
    steps: ['b1 10: OK 90', 'b1 10 as other: CONFLICT 100', 'balance: OK 90'],
  },
  {
    number: 10,
    title: 'the same win with another amount',
    in: GAMES,
    steps: ['b1 10: OK 90', 'w1 4!: OK 94', 'w1 5!: CONFLICT 94'],
  },
  { number: 11, title: 'a bet beyond the balance', in: ALL, steps: ['b1 101: FUNDS 100'] },
  {
    number: 12,
    title: 'a repeated bet stays refused after a deposit',
    in: ALL,
    steps: ['b1 101: FUNDS 100'],
    async run(table) {
      await table.line.operator.deposit(await table.guest(), '50');
      await play(table, ['b1 101: FUNDS 150', 'b2 101 @2: OK 49']);
    },
  },
  {
    number: 13,
    title: 'a stake of 0 places no bet',
    in: GAMES,
    steps: ['b1 0: OK 100', 'w1 0!: OK 100'],
    run: (table) => expectBets(table),
  },
  { number: 14, title: 'a negative amount', in: ALL, steps: ['b1 -1: INVALID', 'balance: OK 100'] },
  {
    number: 15,
    title: 'an amount with more decimals than the currency has',
    in: ALL,
    steps: ['b1 too fine: INVALID', 'balance: OK 100'],
  },
  { number: 16, title: 'a currency other than that of the session', in: 'GHS', run: otherCurrency },
  { number: 17, title: 'an unknown player', in: GAMES, run: unknownPlayer },
];

const trust: readonly Case[] = [
  {
    number: 18,
    title: 'a wrong signature is rejected and nothing is stored',
    in: GAMES,
    async run(table) {
      await expectFault(table, 'secret');
      await play(table, ['b1 10: OK 90']);
    },
  },
  {
    number: 19,
    title: 'a body changed by one space after it was signed',
    in: GAMES,
    run: (table) => expectFault(table, 'space'),
  },
  { number: 20, title: 'a signature 301 seconds old', in: 'G', run: (table) => expectFault(table, 'old') },
  {
    number: 21,
    title: 'a signature with the second valid secret',
    in: GAMES,
    async run(table) {
      if (table.line.another === undefined) throw new Skip('no second secret was given');
      const { message } = await read(table, 'b1 10');
      expectAnswer(
        table,
        'b1 10 by the second secret',
        await table.say(message, { byAnother: true }),
        'OK',
        '90',
      );
      await play(table, ['b2 10: OK 80']);
    },
  },
  {
    number: 22,
    title: 'an unknown provider',
    in: GAMES,
    async run(table) {
      const { message } = await read(table, 'balance');
      const answer = await table.say(message, { slug: 'a-provider-that-nobody-knows' });
      expectAnswer(table, 'balance of an unknown provider', answer, 'NO_PROVIDER');
    },
  },
  {
    number: 23,
    title: 'an ended session: no bet, but the win of an open round',
    in: GAMES,
    steps: ['b1 10: OK 90'],
    async run(table) {
      await table.line.operator.endSession(await table.guest());
      await play(table, ['b2 5: TOKEN_ENDED', 'w1 5!: OK 95']);
    },
  },
  {
    number: 24,
    title: 'the session of another player',
    in: GAMES,
    async run(table) {
      const { message } = await read(table, 'b1 10');
      const { seat } = await table.guest('other');
      const answer = await table.say({ ...message, seat: { ...message.seat, token: seat.token } });
      expectAnswer(table, 'b1 10 with the session of another player', answer, 'TOKEN');
      await table.assertCash('100');
    },
  },
];

const protection: readonly Case[] = [
  {
    number: 25,
    title: 'a banned player: no bet, but win and rollback',
    in: GAMES,
    run: (table) => whileBlocked(table, 'ban'),
  },
  {
    number: 26,
    title: 'an excluded player: no bet, but win and rollback',
    in: GAMES,
    run: (table) => whileBlocked(table, 'exclude'),
  },
  {
    number: 27,
    title: 'a country blocked after the launch: no bet, but win and rollback',
    in: GAMES,
    wish: { country: 'DE' },
    async run(table) {
      await play(table, ['b1 10: OK 90', 'b2 10: OK 80']);
      const { operator } = table.line;
      await operator.setCountry('DE', false);
      try {
        await play(table, ['b3 10: BLOCKED', 'x>b2: OK 90', 'w1 5!: OK 95']);
      } finally {
        await operator.setCountry('DE', true);
      }
    },
  },
  {
    number: 28,
    title: 'a wager limit of 25, which a rollback restores',
    in: ALL,
    async run(table) {
      await table.line.operator.limitWager(await table.guest(), '25');
      await play(table, ['b1 20: OK 80', 'b2 10 @2: LIMIT', 'x>b1: OK 100', 'b3 25 @3: OK 75']);
    },
  },
  {
    number: 29,
    title: 'a stopped game: no bet, but the win',
    in: GAMES,
    wish: { game: 'second' },
    async run(table) {
      const guest = await table.guest();
      await play(table, ['b1 10: OK 90']);
      await table.line.operator.setGame(guest, false);
      try {
        await play(table, ['b2 10 @2: GAME', 'w1 5!: OK 95']);
      } finally {
        await table.line.operator.setGame(guest, true);
      }
    },
  },
  {
    number: 30,
    title: 'all play stopped: no bet, but the win',
    in: ALL,
    async run(table) {
      const { operator } = table.line;
      await play(table, ['b1 10: OK 90']);
      await operator.setPlay(false);
      try {
        await play(table, ['b2 10 @2: GAME', 'w1 5!: OK 95']);
      } finally {
        await operator.setPlay(true);
      }
    },
  },
  {
    number: 31,
    title: 'a ban during fifty concurrent bets: no bet after the ban',
    in: ALL,
    run: banDuringBets,
  },
];

const rollbacks: readonly Case[] = [
  {
    number: 32,
    title: 'a bet is rolled back',
    in: ALL,
    steps: ['b1 10: OK 90', 'x>b1: OK 100'],
    run: (table) => expectBets(table, 'ROLLBACK 10 0'),
  },
  {
    number: 33,
    title: 'the rollback three times',
    in: ALL,
    steps: ['b1 10: OK 90', 'x>b1: OK 100', 'x>b1: OK 100', 'x>b1: OK 100'],
  },
  {
    number: 34,
    title: 'two rollbacks of a bet',
    in: 'GHSB',
    steps: ['b1 10: OK 90', 'x>b1: OK 100', 'x2>b1: OK 100'],
  },
  {
    number: 35,
    title: 'the rollback before its bet',
    in: 'GHP',
    steps: ['x>b1: OK', 'b1 10: ROLLED_BACK', 'balance: OK 100'],
  },
  {
    number: 36,
    title: 'the rollback before its bet, which gets an id and has no effect',
    in: 'S',
    async run(table) {
      await play(table, ['x>b1: OK 100']);
      const { message } = await read(table, 'b1 10');
      const answer = await table.say(message);
      expectAnswer(table, 'b1 10', answer, 'OK', '100');
      if (answer.ids.length !== 1) throw new Failure('expected a tx_id for the bet');
    },
  },
  { number: 37, title: 'a rollback of an unknown bet', in: 'H', steps: ['x>b1: OK 100'] },
  { number: 38, title: 'a refund of an unknown bet', in: 'P', steps: ['x>b1: OK 100'] },
  {
    number: 39,
    title: 'a rollback after the end of its round has no effect',
    in: 'G',
    steps: ['b1 10: OK 90', 'w1 5!: OK 95', 'x>b1: CLOSED 95'],
  },
  {
    number: 40,
    title: 'a rollback after the end of its round corrects the round',
    in: 'HS',
    steps: ['b1 10: OK 90', 'w1 5!: OK 95', 'x>b1: OK 105'],
    run: (table) => expectBets(table, 'SETTLED 0 5'),
  },
  {
    number: 41,
    title: 'a rolled-back win that was withdrawn already becomes a claim',
    in: 'H',
    run: spentWin,
  },
  {
    number: 42,
    title: 'the claim is repaid by the next deposit',
    in: 'H',
    async run(table) {
      await spentWin(table);
      const { operator } = table.line;
      await operator.deposit(await table.guest(), '60');
      await table.assertCash('10');
      await operator.deposit(await table.guest(), '5');
      await table.assertCash('15');
    },
  },
  {
    number: 43,
    title: 'a win after the rollback of its bet',
    in: 'G',
    steps: ['b1 10: OK 90', 'x>b1: OK 100', 'w1 5: CLOSED 100'],
  },
  {
    number: 43,
    title: 'a win after the rollback of its bet',
    in: 'H',
    steps: ['b1 10: OK 90', 'x>b1: OK 100', 'w1 5: NOT_FOUND 100'],
  },
  { number: 44, title: 'a bet and its rollback sent concurrently, 1,000 times', in: GAMES, run: atOnce },
  {
    number: 45,
    title: 'one of two bets is rolled back',
    in: GAMES,
    steps: ['b1 10: OK 90', 'b2 10: OK 80', 'x>b2: OK 90', 'w1 12!: OK 102'],
  },
  {
    number: 46,
    title: 'a rollback by another player',
    in: GAMES,
    steps: ['b1 10: OK 90', 'x>b1 as other: CONFLICT', 'balance: OK 90'],
  },
  {
    number: 47,
    title: 'a rollback of a refused bet',
    in: GAMES,
    steps: ['b1 101: FUNDS 100', 'x>b1: OK', 'balance: OK 100'],
  },
];

const rounds: readonly Case[] = [
  {
    number: 48,
    title: 'a win without a bet, repeated after the bet',
    in: GAMES,
    steps: ['w1 5: NOT_FOUND', 'b1 10: OK 90', 'w1 5!: OK 95'],
  },
  {
    number: 49,
    title: 'a bet after the end of its round',
    in: GAMES,
    steps: ['b1 10: OK 90', 'w1 5!: OK 95', 'b2 5: CLOSED', 'balance: OK 95'],
  },
  {
    number: 50,
    title: 'a win after the end of its round',
    in: GAMES,
    steps: ['b1 10: OK 90', 'w1 5!: OK 95', 'w2 5!: CLOSED', 'balance: OK 95'],
  },
  {
    number: 51,
    title: 'three bets and two wins are one row with correct sums',
    in: GAMES,
    steps: ['b1 10: OK 90', 'b2 10: OK 80', 'b3 10: OK 70', 'w1 7: OK 77', 'w2 8 of b2!: OK 85'],
    run: (table) => expectBets(table, 'SETTLED 30 15'),
  },
  {
    number: 52,
    title: 'a bet and its win in one message',
    in: 'G',
    steps: ['[b1 10, w1 35] !: OK 125', '[b2 126, w2 500] ! @2: FUNDS 125'],
  },
  { number: 53, title: 'the same action twice in one call', in: 'S', steps: ['[b1 4, b1 4, w1 9]: OK 105'] },
  {
    number: 54,
    title: 'all actions of a call are booked, or none',
    in: 'S',
    steps: ['[b1 60, b2 60, w1 500]: FUNDS 100', 'balance: OK 100'],
  },
  {
    number: 55,
    title: 'a repeated action keeps its id, and the new one is booked',
    in: 'S',
    async run(table) {
      const first = await table.say((await read(table, 'b1 4')).message);
      const second = await table.say((await read(table, '[b1 4, w1 9]')).message);
      expectAnswer(table, '[b1 4, w1 9]', second, 'OK', '105');
      if (second.ids.length !== 2 || second.ids[0] !== first.ids[0])
        throw new Failure(`expected ${first.ids[0]} and a new id got ${second.ids.join()}`);
    },
  },
  {
    number: 56,
    title: 'the rollbacks of a bet and a win before both',
    in: 'S',
    steps: ['[x>b1, x>w1]: OK 100', '[b1 5, w1 9]: OK 100'],
  },
  {
    number: 57,
    title: 'a finished call without actions ends the round',
    in: 'S',
    steps: ['b1 10: OK 90', 'end: OK 90', 'w1 5: CLOSED', 'balance: OK 90'],
    run: (table) => expectBets(table, 'SETTLED 10 0'),
  },
  { number: 58, title: 'free spins twice', in: 'S', steps: ['f1 5: OK 105', 'f1 5: SAME 105'] },
  {
    number: 59,
    title: 'a free bet and its win',
    in: 'H',
    steps: ['b1 3 free: OK 100', 'w1 7.00001 free!: OK 107.00001'],
  },
  {
    number: 59,
    title: 'free rounds and their total winnings',
    in: 'P',
    steps: ['b1 3 free: OK 100', 'w1 0 free: OK 100', 'end: OK 100', 'f1 7: OK 107', 'f1 7: SAME 107'],
  },
  { number: 60, title: 'a win of free spins twice', in: 'G', steps: ['f1 5: OK 105', 'f1 5: SAME 105'] },
  { number: 61, title: 'a jackpot without a round', in: 'GP', steps: ['j1 50: OK 150', 'j1 50: SAME 150'] },
  {
    number: 62,
    title: 'a promotion and adjustments',
    in: 'P',
    steps: ['p1 5: OK 105', 'b1 5: OK 100', 'a1 -4: OK 96', 'a2 -1000: FUNDS', 'balance: OK 96'],
  },
  {
    number: 63,
    title: 'the end of a round twice',
    in: 'P',
    steps: ['b1 10: OK 90', 'end: OK 90', 'end: OK 90'],
  },
  {
    number: 64,
    title: 'a refund after the result',
    in: 'P',
    steps: ['b1 10: OK 90', 'w1 4: OK 94', 'x>b1: CLOSED', 'balance: OK 94'],
  },
  {
    number: 65,
    title: 'a result with a promotion part: two postings, each once',
    in: 'P',
    steps: ['b1 10: OK 90', 'w1 5 + p1 3: OK 98', 'w1 5 + p1 3: SAME 98', 'end: OK 98'],
  },
];

const faults: readonly Case[] = [
  { number: 66, title: 'a call repeated after a lost response is booked once', in: ALL, run: lostAnswers },
  {
    number: 67,
    title: 'the process is killed around COMMIT',
    in: ALL,
    elsewhere: 'conformance/outage.test.ts',
  },
  {
    number: 68,
    title: 'an unavailable database causes a retryable error',
    in: ALL,
    elsewhere: 'conformance/outage.test.ts',
  },
  {
    number: 69,
    title: 'a balance below the unit is rounded down',
    in: 'H',
    wish: { cash: '0.00001999', currency: 'BTC' },
    steps: ['balance: OK 0.00001'],
  },
  {
    number: 70,
    title: 'a concurrent provider bet and house bet: both, or insufficient funds',
    in: GAMES,
    run: besideTheHouse,
  },
  {
    number: 71,
    title: 'a round open for 25 hours',
    in: GAMES,
    elsewhere: 'src/modules/games/seamless-wallet/providers',
  },
  {
    number: 72,
    title: 'reconciliation',
    in: GAMES,
    elsewhere: 'src/modules/games/seamless-wallet/providers',
  },
  {
    number: 73,
    title: 'after a correction the limits count a stake of 0',
    in: 'HS',
    async run(table) {
      const guest = await table.guest();
      await table.line.operator.limitWager(guest, '1000');
      await play(table, ['b1 10: OK 90', 'w1 5!: OK 95']);
      await isWanted('10', () => table.line.operator.wagered(guest));
      await play(table, ['x>b1: OK 105']);
      await isWanted('0', () => table.line.operator.wagered(guest));
    },
  },
];

export const CASES: readonly Case[] = [
  ...identity,
  ...trust,
  ...protection,
  ...rollbacks,
  ...rounds,
  ...faults,
  ...sportsbookCases,
];

function expectAnswer(
  table: Table,
  what: string,
  answer: Awaited<ReturnType<Table['say']>>,
  expected: Parameters<typeof problemIn>[1]['expected'],
  balance?: string,
): void {
  const problem = problemIn(table, { answer, expected, balance });
  if (problem) throw new Failure(`${what}: ${problem}`);
}

async function expectFault(table: Table, fault: 'secret' | 'space' | 'old'): Promise<void> {
  const { message } = await read(table, 'b1 10');
  expectAnswer(table, `b1 10 (${fault})`, await table.say(message, { fault }), 'SIGNATURE');
  await table.assertCash('100');
}

async function sameBetAtOnce(table: Table): Promise<void> {
  const { message } = await read(table, 'b1 10');
  const answers = await Promise.all(Array.from({ length: 100 }, () => table.say(message)));
  for (const answer of answers) expectAnswer(table, 'b1 10 a hundred times', answer, 'OK', '90');
  const fresh = answers.filter(({ isRepeated }) => isRepeated === false).length;
  if (answers[0]?.isRepeated !== undefined && fresh > 1)
    throw new Failure(`${fresh} of the responses report a new bet`);
  await table.assertCash('90');
}

async function otherCurrency(table: Table): Promise<void> {
  const { message } = await read(table, 'b1 1');
  const answer = await table.say({ ...message, seat: { ...message.seat, currency: 'BTC' } });
  expectAnswer(table, 'b1 1 BTC', answer, 'WRONG_CURRENCY');
  await table.assertCash('100');
}

async function unknownPlayer(table: Table): Promise<void> {
  const { message } = await read(table, 'b1 10');
  const answer = await table.say(
    { ...message, seat: { ...message.seat, playerId: NOBODY } },
    { expected: 'NO_PLAYER' },
  );
  expectAnswer(table, `b1 10 of player ${NOBODY}`, answer, 'NO_PLAYER');
}

async function whileBlocked(table: Table, how: 'ban' | 'exclude'): Promise<void> {
  await play(table, ['b1 10: OK 90', 'b2 10: OK 80']);
  await table.line.operator[how](await table.guest());
  const status = how === 'ban' ? 'BLOCKED' : 'EXCLUDED';
  await play(table, [`b3 10: ${status}`, 'x>b2: OK 90', 'w1 5!: OK 95']);
}

async function banDuringBets(table: Table): Promise<void> {
  const guest = await table.guest();
  const one = async (n: number) =>
    table.say((await read(table, `b${n} 1 @${n}`)).message, { expected: 'BLOCKED' });
  const bets = Array.from({ length: 50 }, (_, n) => sleep(n / 2).then(() => one(n + 1)));
  await Promise.all([sleep(5).then(() => table.line.operator.ban(guest)), ...bets.slice(0, 25)]);
  const late = await Promise.all(Array.from({ length: 10 }, (_, n) => one(n + 100)));
  for (const answer of late) expectAnswer(table, 'a bet after the ban', answer, 'BLOCKED');
  const { dialect } = table.line;
  const answers = await Promise.all(bets);
  const taken = answers.filter(({ code }) => code === dialect.codes.OK).length;
  for (const { code } of answers)
    if (code !== dialect.codes.OK && code !== dialect.codes.BLOCKED)
      throw new Failure(`expected ${dialect.codes.OK} or ${dialect.codes.BLOCKED} got ${code}`);
  await table.assertCash(String(100 - taken));
}

async function spentWin(table: Table): Promise<void> {
  await play(table, ['b1 10: OK 90', 'w1 100!: OK 190']);
  await table.line.operator.withdraw(await table.guest(), '150');
  await play(table, ['x>w1: OK 0', 'x>b1: OK 10']);
}

const TIMES = 1000;
const PAIRS_AT_ONCE = 20;

/** Sends a bet and its rollback concurrently. In either order, the player's balance must not change. */
async function atOnce(table: Table): Promise<void> {
  const { dialect } = table.line;
  const wanted = [dialect.codes.OK, dialect.codes.ROLLED_BACK];
  await at(TIMES, PAIRS_AT_ONCE, async (n) => {
    const texts = [`b${n} 1 @${n}`, `x>b${n} @${n}`];
    const messages = await Promise.all(texts.map((text) => read(table, text)));
    const ordered = n % 2 ? messages : messages.reverse();
    const answers = await Promise.all(ordered.map(({ message }) => table.say(message)));
    const wrong = answers.find(({ code }) => !wanted.includes(code));
    if (wrong) throw new Failure(`expected ${wanted.join(' or ')} got ${wrong.code}`);
  });
  await table.assertCash('100');
}

async function lostAnswers(table: Table): Promise<void> {
  const step = async (text: string, balance: string) => {
    const { message } = await read(table, text);
    await table.sayAndHangUp(message);
    const answer = await table.say(message);
    expectAnswer(table, `${text} again`, answer, 'OK', balance);
  };
  await step('b1 10', '90');
  await step('w1 25!', '115');
  await table.assertCash('115');
}

async function besideTheHouse(table: Table): Promise<void> {
  const { operator, dialect } = table.line;
  const guest = await table.guest();
  const { message } = await read(table, 'b1 60');
  const [answer, change] = await Promise.all([
    table.say(message, { expected: 'FUNDS' }),
    operator.houseBet(guest, '60'),
  ]);
  const isTaken = answer.code === dialect.codes.OK;
  if (!isTaken) expectAnswer(table, 'b1 60', answer, 'FUNDS');
  if (!isTaken && change === undefined) throw new Failure('expected one of the two bets to be accepted');
  const rest = toUnits('100') - (isTaken ? toUnits('60') : 0n) + toUnits(change ?? '0');
  await table.assertCash(fromUnits(rest));
}
