/** For any sequence of provider calls, balances equal those of a model without a database, and reconcile finds no differences. */
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { consumeAll } from '../../../../../test/kit/games/bets.ts';
import {
  GENERIC,
  HUB88,
  openLab,
  PRAGMATIC,
  type Said,
  SOFTSWISS,
} from '../../../../../test/kit/games/provider-wallet.ts';
import { isFull } from '../../../../../test/kit/length.ts';
import type { Policy } from '../engine/call.ts';

const app = fixture(startApp);
const second = fixture(() => startApp({ database: app.database }));
const ONE = 100_000_000n;
const START = 100;

type Step = {
  type: 'BET' | 'WIN' | 'ROLLBACK' | 'FREE_SPIN_WIN' | 'JACKPOT' | 'ADJUSTMENT' | 'CLOSE';
  id: number;
  round: number;
  reference: number;
  amount: bigint;
  closes: boolean;
  /** True if the call is sent to the second process. */
  isElsewhere: boolean;
};
const step: fc.Arbitrary<Step> = fc.record({
  type: fc.constantFrom<Step['type'][]>(
    ...(['BET', 'BET', 'BET', 'WIN', 'WIN', 'ROLLBACK', 'ROLLBACK', 'ROLLBACK'] as const),
    ...(['FREE_SPIN_WIN', 'JACKPOT', 'ADJUSTMENT', 'CLOSE'] as const),
  ),
  id: fc.nat(25),
  round: fc.nat(3),
  reference: fc.nat(25),
  amount: fc.oneof(
    fc.constant(0n),
    fc.bigInt(1n, 60n).map((n) => n * ONE),
    fc.bigInt(1n, 9n),
  ),
  closes: fc.boolean(),
  isElsewhere: fc.boolean(),
});

type TrackedRound = {
  type: string;
  said: string;
  status: string;
  amount: bigint;
  round: string | undefined;
  balance: bigint;
};
type Round = { isOpen: boolean; stakes: number; wins: number; hasBet: boolean; staked: bigint; won: bigint };

/** A second implementation of the rules of section 3 in providers.md, as simple as possible. */
function createModel(policy: Policy) {
  let cash = BigInt(START) * ONE;
  let owed = 0n;
  const kept = new Map<string, TrackedRound>();
  const rounds = new Map<string, Round>();
  const answer = (status: string, balance = cash) => ({ status, balance });

  const endIfEmpty = (round: Round) => {
    if (round.stakes === 0 && round.wins === 0) round.isOpen = false;
  };
  const bet = (round: string, amount: bigint): string => {
    const at = rounds.get(round);
    if (at && !at.isOpen) return 'ROUND_CLOSED';
    if (cash < amount) return 'INSUFFICIENT_FUNDS';
    const open = at ?? { isOpen: true, stakes: 0, wins: 0, hasBet: false, staked: 0n, won: 0n };
    rounds.set(round, open);
    open.stakes++;
    open.staked += amount;
    if (amount > 0n) open.hasBet = true;
    cash -= amount;
    return 'OK';
  };
  const win = (round: string, amount: bigint): [status: string, type: string] => {
    const at = rounds.get(round);
    if (!at) return ['TRANSACTION_NOT_FOUND', ''];
    if (!at.isOpen) return ['ROUND_CLOSED', ''];
    at.wins++;
    if (at.hasBet) at.won += amount;
    cash += amount;
    return ['OK', at.hasBet ? 'WIN' : 'FREE_WIN'];
  };
  const reverse = (target: TrackedRound): string => {
    const at = target.round === undefined ? undefined : rounds.get(target.round);
    if (target.type === 'ROLLBACK' || target.type === 'ADJUSTMENT') return 'TRANSACTION_CONFLICT';
    const isBet = target.type === 'BET';
    if (!isBet && !policy.rollsBackWins) return 'TRANSACTION_CONFLICT';
    if (isBet && at!.wins > 0 && !policy.rollsBackWon) return 'ROUND_CLOSED';
    if (at && !at.isOpen && !policy.rollsBackEnded) return 'ROUND_CLOSED';
    target.status = 'UNDONE';
    if (isBet) {
      at!.stakes--;
      at!.staked -= target.amount;
      cash += target.amount;
    } else {
      const taken = cash < target.amount ? cash : target.amount;
      cash -= taken;
      owed += target.amount - taken;
      if (at) at.wins--;
      if (at && target.type === 'WIN') at.won -= target.amount;
    }
    if (at) endIfEmpty(at);
    return 'OK';
  };

  return {
    rounds,
    money: () => ({ cash, owed }),
    take({
      type,
      id,
      round,
      reference,
      amount,
      closes,
    }: Said & { round: string; closes: boolean; amount: bigint }) {
      const said = JSON.stringify([type, round, String(amount), reference]);
      const close = () => {
        const at = rounds.get(round);
        if (at && closes) at.isOpen = false;
      };
      const before = kept.get(id);
      if (before?.status === 'TOMBSTONE') {
        if (policy.tombstone !== 'OK') return answer(policy.tombstone);
        close();
        return answer('OK');
      }
      if (before) {
        if (before.said !== said) return answer('TRANSACTION_CONFLICT');
        if (before.status !== 'DONE' && before.status !== 'UNDONE') return answer(before.status);
        close();
        return answer('OK', policy.repeatShows === 'then' ? before.balance : cash);
      }
      let [status, stored]: [string, string] = ['OK', type];
      let inRound: string | undefined = round;
      const named = reference === undefined ? undefined : kept.get(reference);
      if (type === 'BET') status = bet(round, amount);
      else if (type === 'WIN' && policy.winsName) {
        if (named?.status !== 'DONE') return answer('TRANSACTION_NOT_FOUND');
        if (named.round !== undefined && named.round !== round) status = 'TRANSACTION_CONFLICT';
        else if (named.type !== 'BET') status = 'TRANSACTION_CONFLICT';
        else [status, stored] = win(round, amount);
      } else if (type === 'WIN') {
        [status, stored] = win(round, amount);
        if (status === 'TRANSACTION_NOT_FOUND') return answer(status);
      } else if (type === 'ROLLBACK') {
        inRound = named?.round;
        if (!named)
          kept.set(reference!, {
            type: 'BET',
            said: '',
            status: 'TOMBSTONE',
            amount: 0n,
            round: undefined,
            balance: cash,
          });
        else if (named.round !== undefined && named.round !== round) status = 'TRANSACTION_CONFLICT';
        else if (named.status === 'DONE') status = reverse(named);
      } else {
        inRound = undefined;
        if (cash + amount < 0n) status = 'INSUFFICIENT_FUNDS';
        else cash += amount;
      }
      if (status === 'OK') close();
      const isRefused = status !== 'OK';
      kept.set(id, {
        type: isRefused ? type : stored,
        said,
        status: isRefused ? status : 'DONE',
        amount,
        round: isRefused ? undefined : inRound,
        balance: cash,
      });
      return answer(status);
    },
    close: (round: string) => {
      const at = rounds.get(round);
      if (at) at.isOpen = false;
      return answer('OK');
    },
  };
}

/** Reads the player's state from the database. */
async function booked(userId: number) {
  const { rows } = await sql<{ cash: bigint; owed: bigint }>`
    select cash, (select coalesce(sum(remaining), 0)::int8 from claims where user_id = ${userId}) as owed
    from wallets where user_id = ${userId} and currency_id = 'USDT'`.execute(app.db);
  return rows[0]!;
}

async function bets(userId: number) {
  const { rows } = await sql<{ ref: string; status: string; amount: bigint; payout: bigint }>`
    select r.round_ref as ref, b.status, case when b.is_corrected then coalesce(c.amount_after, 0) else b.amount end as amount,
      case when b.is_corrected then coalesce(c.payout_after, 0) else b.payout end as payout
    from provider_rounds r join bets b on b.id = r.bet_id
    left join lateral (select * from bet_corrections where bet_id = b.id order by id desc limit 1) c on true
    where r.user_id = ${userId}`.execute(app.db);
  return new Map(rows.map(({ ref, ...bet }) => [ref, bet]));
}

let games = 0;

test.each([
  ['our own form', GENERIC],
  ['Hub88', HUB88],
  ['SOFTSWISS', SOFTSWISS],
  ['Pragmatic Play', PRAGMATIC],
])('matches the model for any sequence of calls in %s', async (_, policy) => {
  const lab = await openLab(app, policy, { second });
  const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
    const { player, call: here, elsewhere } = await lab.seat(START);
    const model = createModel(policy);
    const game = ++games;
    const idOf = (n: number) => `${game}-${n}`;
    for (const { type, id, round, reference, amount, closes, isElsewhere } of steps) {
      const call = isElsewhere ? elsewhere : here;
      const at = `r${round}`;
      if (type === 'CLOSE') {
        if (model.rounds.has(at))
          expect(await call([], { round: at, closes: true })).toMatchObject(model.close(at));
        continue;
      }
      const names = type === 'ROLLBACK' || (type === 'WIN' && policy.winsName);
      // A rollback or a win cannot refer to itself, so such a step is skipped.
      if (names && reference === id) continue;
      const said = {
        type,
        id: idOf(id),
        amount: type === 'ROLLBACK' ? 0n : type === 'ADJUSTMENT' && closes ? -amount : amount,
        ...(names && { reference: idOf(reference) }),
      };
      const ends = closes && (type === 'BET' || type === 'WIN');
      const expected = model.take({ ...said, round: at, closes: ends });
      expect(
        await call([said], { round: at, closes: ends }),
        JSON.stringify({ ...said, amount: String(said.amount), at }),
      ).toMatchObject(expected);
    }
    expect(await booked(player.id)).toEqual(model.money());
    const rows = await bets(player.id);
    for (const [ref, round] of model.rounds) {
      const row = rows.get(ref);
      expect(row !== undefined, ref).toBe(round.hasBet);
      if (!row) continue;
      const isVoid = !round.isOpen && round.staked === 0n && round.won === 0n;
      expect(row.status, ref).toBe(round.isOpen ? 'CREATED' : isVoid ? 'ROLLBACK' : 'SETTLED');
      if (!isVoid) expect([row.amount, row.payout], ref).toEqual([round.staked, round.won]);
    }
  });
  await fc.assert(property, { numRuns: isFull ? 40 : 20, seed: 16 });
  await consumeAll(app);
});
