import type { PoolClient } from 'pg';
import type { Services } from '../../src/app/services.ts';
import { gateErrors } from '../../src/modules/compliance/gate/errors.ts';
import { bettingErrors } from '../../src/modules/games/betting/errors.ts';
import type { Pool } from '../../src/platform/database/db.ts';
import { commonErrors } from '../../src/platform/errors.ts';
import { answerOf, type PlayRequest, play, type Settle, seedsOf } from './bet.ts';
import { BET_COLUMNS, betValues, LINE_COLUMNS } from './rows.ts';

type PlayerRow = { seed_pair_id: bigint; nonce: number; is_banned: boolean };

const LOCK = {
  name: 'textbook.lock',
  text: 'select seed_pair_id, nonce, is_banned from players where user_id = $1 for update',
};
const READ = {
  name: 'textbook.wallet',
  text: 'select cash from wallets where user_id = $1 and currency_id = $2',
};
/** Checks for an open round, for games that a player cannot start while a round is open. */
const ROUND = {
  name: 'textbook.round',
  text: 'select from rounds where user_id = $1 and game_id = $2',
};
const PAY = {
  name: 'textbook.pay',
  text: `update wallets set cash = $3, version = version + 1, updated_at = now() where user_id = $1 and currency_id = $2`,
};
const ADVANCE = { name: 'textbook.advance', text: 'update players set nonce = nonce + 1 where user_id = $1' };
const IDS = { name: 'textbook.ids', text: `select nextval('ledger_ids') as base, now() as at` };
const INSERT_BET = {
  name: 'textbook.bet',
  text: `insert into bets (id, ${BET_COLUMNS}, status, settled_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, 'SETTLED', now())`,
};
const STAKE_LINE = `($1, $2, $5, $6, null, $3, 1, 100, $4, 'bet.stake')`;
const PAYOUT_LINE = `($7, $2, $8, null, $9, $3, 100, 1, $4, 'bet.payout')`;
const INSERT_LOST = {
  name: 'textbook.lost',
  text: `insert into ledger_lines (${LINE_COLUMNS}) values ${STAKE_LINE}`,
};
const INSERT_WON = {
  name: 'textbook.won',
  text: `insert into ledger_lines (${LINE_COLUMNS}) values ${STAKE_LINE}, ${PAYOUT_LINE}`,
};

/**
 * The straightforward implementation: one transaction per bet, the player's row locked, one statement per written row. It is not
 * deliberately slow: it has a pool of 16 connections, prepared statements, cached seeds and no unnecessary query.
 */
export async function createTextbook(services: Services, pool: Pool): Promise<Settle> {
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
  const { userId, stake, game } = bet;
  const currencyId = bet.currencyId;
  const player = (await client.query<PlayerRow>({ ...LOCK, values: [userId] })).rows[0]!;
  if (player.is_banned) throw gateErrors.USER_BANNED();
  if (bet.store && (await client.query({ ...ROUND, values: [userId, game.id] })).rowCount)
    throw bettingErrors.ROUND_OPEN({ game: game.slug });
  const wallet = (await client.query<{ cash: bigint }>({ ...READ, values: [userId, currencyId] })).rows[0];
  if (!wallet || wallet.cash < stake) throw commonErrors.INSUFFICIENT_BALANCE();
  const { seed_pair_id: seedPairId, nonce } = player;
  const played = play(bet, await seedsOf(services, seedPairId), nonce);
  const staked = wallet.cash - stake;
  const after = staked + played.payout;
  await client.query({ ...PAY, values: [userId, currencyId, after] });
  await client.query({ ...ADVANCE, values: [userId] });
  const { base, at } = (await client.query<{ base: bigint; at: Date }>(IDS)).rows[0]!;
  await client.query({ ...INSERT_BET, values: [base, ...betValues(bet, played, { seedPairId, nonce })] });
  const line = [base + 1n, base, userId, currencyId, stake, staked];
  if (played.payout === 0n) await client.query({ ...INSERT_LOST, values: line });
  else await client.query({ ...INSERT_WON, values: [...line, base + 2n, played.payout, after] });
  return answerOf(bet, played, { id: base, at });
}
