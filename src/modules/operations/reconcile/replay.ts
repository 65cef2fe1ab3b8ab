import { isDeepStrictEqual } from 'node:util';
import type { Db } from '../../../platform/database/db.ts';
import { countedUsdOf } from '../../games/betting/rules.ts';
import { hashServerSeed, stream } from '../../games/fairness/hash.ts';
import type { SeedEncryption } from '../../games/fairness/service.ts';
import { replayBet } from '../../games/house-games/verify/rules.ts';

/** A bet, and the part that does not follow from its seeds and inputs. */
export type Flaw = { betId: bigint; flaw: string };

const BETS_AT_ONCE = 5000;
const MOST_FLAWS = 100;

/** Replays every settled house bet from its seeds. Commitment, outcome and payouts must equal the stored ones. */
export async function replayAll(
  db: Db,
  encryption: SeedEncryption,
): Promise<{ bets: number; flaws: Flaw[] }> {
  const flaws: Flaw[] = [];
  let after = 0n;
  let bets = 0;
  for (;;) {
    const rows = await readBets(db, after);
    for (const row of rows) {
      const flaw = flawOf(row, encryption);
      if (flaw !== undefined && flaws.length < MOST_FLAWS) flaws.push({ betId: row.id, flaw });
    }
    bets += rows.length;
    if (rows.length < BETS_AT_ONCE) return { bets, flaws };
    after = rows.at(-1)!.id;
  }
}

type Row = Awaited<ReturnType<typeof readBets>>[number];

async function readBets(db: Db, after: bigint) {
  return db
    .selectFrom('bets')
    .innerJoin('games', 'games.id', 'bets.game_id')
    .innerJoin('currencies', 'currencies.id', 'bets.currency_id')
    .innerJoin('seed_pairs', 'seed_pairs.id', 'bets.seed_pair_id')
    .select(['bets.id', 'games.slug as game', 'nonce', 'rtp_bp', 'inputs', 'outcome', 'amount', 'payout'])
    .select(['usd_amount', 'usd_payout', 'bet_usd', 'usd_rate', 'max_profit_usd', 'decimals'])
    .select(['server_seed', 'server_seed_hash', 'client_seed'])
    .where('bets.id', '>', after)
    .where('bets.status', '=', 'SETTLED')
    .orderBy('bets.id')
    .limit(BETS_AT_ONCE)
    .execute();
}

function flawOf(row: Row, encryption: SeedEncryption): string | undefined {
  try {
    const serverSeed = encryption.open(row.server_seed);
    if (hashServerSeed(serverSeed) !== row.server_seed_hash) return 'seed';
    const bet = { ...row, rtpBp: row.rtp_bp! };
    const replayed = replayBet(bet, stream(serverSeed, row.client_seed!, row.nonce!));
    if (!replayed) return 'inputs';
    if (!isDeepStrictEqual(replayed.outcome, row.outcome)) return 'outcome';
    const { payout, payoutUsd } = replayed.pay({
      betUsd: row.bet_usd ?? row.usd_amount,
      stake: row.amount,
      rate: row.usd_rate,
      decimals: row.decimals,
      maxProfitUsd: row.max_profit_usd!,
    });
    // An older bet has no bet_usd. Its payout counted in the requested dollars.
    const counted = row.bet_usd === null ? payoutUsd : countedUsdOf(payout, row.usd_rate);
    return payout === row.payout && counted === row.usd_payout ? undefined : 'payout';
  } catch (error) {
    // A bet that cannot be replayed must not hide the others.
    return String(error);
  }
}
