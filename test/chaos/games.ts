import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../src/platform/database/db.ts';
import type { Person } from '../kit/processes/visitors.ts';
import type { World } from './world.ts';

const HOUSE = '/casino/games/house';
const BET = { currencyId: 'USDT', betAmount: '0.5' };
/** Bets that are decided in a single step. */
const STEPS: readonly (readonly [string, object])[] = [
  ['dice/bet', { ...BET, threshold: 50, above: true }],
  ['dice/series', { ...BET, threshold: 50, above: true, count: 5 }],
  ['limbo/bet', { ...BET, multiplier: 2 }],
  ['keno/bet', { ...BET, risk: 'LOW', selected: [1, 2, 3] }],
  ['plinko/bet', { ...BET, risk: 'HIGH', rowsCount: 12 }],
  ['roulette/bet', { ...BET, params: { bets: [{ type: 'RED', amount: '0.5' }] } }],
  ['mines/auto-spin', { ...BET, gridCellsCount: 9, bombsCount: 2, cellIndices: [0, 4] }],
  ['speed-roulette/bet', { ...BET, color: 'RED' }],
  ['speed-roulette/bet', { ...BET, color: 'GREEN' }],
];

/** Plays every house game. Each request is repeated with its key until its outcome is certain. */
export function createGames({ insist, people }: Pick<World, 'insist' | 'people'>, random: () => number) {
  const counts = { bets: 0, rounds: 0, resumed: 0 };
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const send = ({ token }: Person, path: string, body: object, method = 'POST') =>
    insist(method, `${HOUSE}/${path}`, { token, body, headers: { 'idempotency-key': randomUUID() } });
  const look = ({ token }: Person, path: string) => insist('GET', `${HOUSE}/${path}`, { token });

  const mines = async (person: Person) => {
    await send(person, 'mines/play', { ...BET, gridCellsCount: 16, bombsCount: 3 });
    const { body } = await send(person, 'mines/open', { cellIndex: Math.floor(random() * 16) });
    if (body.proceed && random() < 0.5) await send(person, 'mines/cash-out', {});
  };
  const monkeyRun = async (person: Person) => {
    await send(person, 'monkey-run/bet', { ...BET, difficulty: 'MEDIUM' });
    const { body } = await send(person, 'monkey-run/play', { makeStep: 1 + Math.floor(random() * 3) });
    if (body.canCashOut && random() < 0.5) await send(person, 'monkey-run/cash-out', {}, 'PUT');
  };
  const blackjack = async (person: Person) => {
    const dealt = await send(person, 'blackjack/init', { ...BET, sideBetAmount: '0.1' });
    const actions = dealt.body.data?.availableActions ?? ['HIT', 'STAND'];
    if (actions.length > 0) await send(person, 'blackjack/handleAction', { action: pick(actions) });
  };
  const ROUNDS = [mines, monkeyRun, blackjack];

  /** Continues a player's open rounds from their current state and finishes them. */
  const resume = async (person: Person) => {
    if ((await look(person, 'mines/board')).status === 200) {
      counts.resumed++;
      for (
        let cell = 0;
        (await send(person, 'mines/cash-out', {})).body.code === 'ACTION_NOT_ALLOWED';
        cell++
      )
        await send(person, 'mines/open', { cellIndex: cell });
    }
    const run = await look(person, 'monkey-run/game');
    if (run.status === 200) {
      counts.resumed++;
      if (!run.body.canCashOut) await send(person, 'monkey-run/play', { makeStep: run.body.step + 1 });
      await send(person, 'monkey-run/cash-out', {}, 'PUT');
    }
    for (let isFirst = true; (await look(person, 'blackjack/getActiveState')).body.data; isFirst = false) {
      if (isFirst) counts.resumed++;
      await send(person, 'blackjack/handleAction', { action: 'STAND' });
    }
  };

  return {
    counts,
    async play(person: Person): Promise<void> {
      if (random() < 0.3) {
        await pick(ROUNDS)(person);
        counts.rounds++;
        return;
      }
      const [path, body] = pick(STEPS);
      await send(person, path, body);
      counts.bets++;
    },
    resumeAll: async () => {
      for (const person of people) await resume(person);
    },
  };
}

/**
 * Returns the bets that are still open after a wait. There must be none: every round can be finished, and a shared round settles all its
 * bets.
 */
export async function openBets(db: Db): Promise<string[]> {
  const read = async () => {
    const { rows } = await sql<{ id: bigint; slug: string; status: string }>`
      select b.id, g.slug, status from bets b join games g on g.id = b.game_id where status in ('CREATED', 'ERROR')`.execute(
      db,
    );
    return rows.map(({ id, slug, status }) => `bet ${id} of ${slug} is ${status}`);
  };
  for (const until = Date.now() + 40_000; ; await sleep(500)) {
    const open = await read();
    if (open.length === 0 || Date.now() > until) return open;
  }
}
