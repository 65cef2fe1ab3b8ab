import type { PoolClient } from 'pg';
import type { Services } from '../../src/app/services.ts';
import { gateErrors } from '../../src/modules/compliance/gate/errors.ts';
import { bettingErrors } from '../../src/modules/games/betting/errors.ts';
import type { FreshBet, GameRequest, SingleStep } from '../../src/modules/games/betting/request.ts';
import { countedUsdOf, type Paid, payoutsOf } from '../../src/modules/games/betting/rules.ts';
import { ALGORITHM_VERSION } from '../../src/modules/games/fairness/rules.ts';
import { pairsStatement, type SeedPair, type StoredPair } from '../../src/modules/games/fairness/service.ts';
import { iso } from '../../src/platform/clock.ts';
import { type Pool, run } from '../../src/platform/database/db.ts';
import { commonErrors } from '../../src/platform/errors.ts';

export type PlayRequest = FreshBet & SingleStep & GameRequest;

/** An implementation of bets with the same input and result as the project's own settlement of single-step games. */
export type Settle = (bet: PlayRequest) => Promise<object>;

type Played = { outcome: object } & Paid;

/** Computes the outcome and payout by the game's rules. Variants differ only in how they store the bet. */
export function play(bet: PlayRequest, seeds: SeedPair, nonce: number): Played {
  const { outcome, multiplier, scale } = bet.play(seeds, nonce, bet);
  return { outcome, ...payoutsOf({ ...bet, multiplier, scale }) };
}

export function answerOf(bet: PlayRequest, played: Played, row: { id: bigint; at: Date }): object {
  const { outcome, payoutUsd } = played;
  return bet.answer({
    betId: String(row.id),
    currencyId: bet.currencyId,
    createdAt: iso(row.at),
    betUsd: bet.betUsd,
    payoutUsd,
    outcome,
  });
}

/** Returns the seeds of a seed pair, from the cache that the project's own bets also use. */
async function seedsOf({ fairness, db }: Services, pairId: bigint): Promise<SeedPair> {
  if (!fairness.peekPair(pairId)) fairness.rememberPairs(await run<StoredPair>(db, pairsStatement([pairId])));
  return fairness.peekPair(pairId)!;
}

/** Columns of a bet after its id, in the order of `betValues`. The SQL statement itself sets status and settled_at. */
const BET_COLUMNS = `amount, payout, usd_amount, usd_payout, usd_rate, max_profit_usd, seed_pair_id, user_id, game_id,
  nonce, rtp_bp, currency_id, algorithm_version, window_id, inputs, outcome, bet_usd`;

const LINE_COLUMNS =
  'id, entry_id, amount, debit_after, credit_after, user_id, debit, credit, currency_id, kind';

type PlayerRow = { seed_pair_id: bigint; nonce: number; is_banned: boolean };

const prepared = (name: string, text: string) => ({ name: `textbook.${name}`, text });
const LOCK = prepared(
  'lock',
  'select seed_pair_id, nonce, is_banned from players where user_id = $1 for update',
);
const READ = prepared('wallet', 'select cash from wallets where user_id = $1 and currency_id = $2');
/** Checks for an open round, for games that a player cannot start while a round is open. */
const ROUND = prepared('round', 'select from rounds where user_id = $1 and game_id = $2');
const PAY = prepared(
  'pay',
  'update wallets set cash = $3, version = version + 1, updated_at = now() where user_id = $1 and currency_id = $2',
);
const ADVANCE = prepared('advance', 'update players set nonce = nonce + 1 where user_id = $1');
const IDS = prepared('ids', `select nextval('ledger_ids') as base, now() as at`);
const INSERT_BET = prepared(
  'bet',
  `insert into bets (id, ${BET_COLUMNS}, status, settled_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, 'SETTLED', now())`,
);
const STAKE_LINE = `insert into ledger_lines (${LINE_COLUMNS}) values ($1, $2, $5, $6, null, $3, 1, 100, $4, 'bet.stake')`;
const INSERT_LOST = prepared('lost', STAKE_LINE);
const INSERT_WON = prepared('won', `${STAKE_LINE}, ($7, $2, $8, null, $9, $3, 100, 1, $4, 'bet.payout')`);

/**
 * The straightforward implementation: one transaction per bet, the player's row locked, one statement per written row. It is not
 * deliberately slow: it has a pool of 16 connections, prepared statements, cached seeds and no unnecessary query.
 */
export function createTextbook(services: Services, pool: Pool): Settle {
  return async (bet) => {
    if (bet.refusal) throw bet.refusal;
    const client = await pool.connect();
    try {
      await client.query('begin');
      const answer = await settle(client, services, bet);
      await client.query('commit');
      return answer;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  };
}

async function settle(client: PoolClient, services: Services, bet: PlayRequest): Promise<object> {
  const execute = async <Row extends object>(statement: object, ...values: unknown[]): Promise<Row[]> =>
    (await client.query<Row>({ ...(statement as { text: string }), values })).rows;
  const { userId, stake, game, currencyId } = bet;
  const [player] = await execute<PlayerRow>(LOCK, userId);
  const { seed_pair_id: seedPairId, nonce, is_banned: isBanned } = player!;
  if (isBanned) throw gateErrors.USER_BANNED();
  if (bet.store && (await execute(ROUND, userId, game.id)).length > 0)
    throw bettingErrors.ROUND_OPEN({ game: game.slug });
  const [wallet] = await execute<{ cash: bigint }>(READ, userId, currencyId);
  if (!wallet || wallet.cash < stake) throw commonErrors.INSUFFICIENT_BALANCE();
  const played = play(bet, await seedsOf(services, seedPairId), nonce);
  const staked = wallet.cash - stake;
  const after = staked + played.payout;
  await execute(PAY, userId, currencyId, after);
  await execute(ADVANCE, userId);
  const [ids] = await execute<{ base: bigint; at: Date }>(IDS);
  const { base, at } = ids!;
  await execute(INSERT_BET, base, ...betValues(bet, played, { seedPairId, nonce }));
  const line = [base + 1n, base, userId, currencyId, stake, staked];
  if (played.payout === 0n) await execute(INSERT_LOST, ...line);
  else await execute(INSERT_WON, ...line, base + 2n, played.payout, after);
  return answerOf(bet, played, { id: base, at });
}

type Turn = { seedPairId: bigint; nonce: number };

function betValues(bet: PlayRequest, { outcome, payout }: Played, turn: Turn): unknown[] {
  return [
    bet.stake,
    payout,
    countedUsdOf(bet.stake, bet.rate),
    countedUsdOf(payout, bet.rate),
    bet.rate,
    bet.maxProfitUsd,
    turn.seedPairId,
    bet.userId,
    bet.game.id,
    turn.nonce,
    bet.rtpBp,
    bet.currencyId,
    ALGORITHM_VERSION,
    bet.windowId,
    JSON.stringify(bet.inputs),
    JSON.stringify(outcome),
    bet.betUsd,
  ];
}
