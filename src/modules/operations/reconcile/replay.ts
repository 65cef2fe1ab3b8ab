import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import { countedUsdOf } from '../../games/betting/rules.ts';
import { firstNumber, hashServerSeed, stream } from '../../games/fairness/hash.ts';
import type { SeedEncryption } from '../../games/fairness/service.ts';
import { outcomeAt, payRound, positionOf } from '../../games/house-games/speed-roulette/rules.ts';
import { replayBet } from '../../games/house-games/verify/rules.ts';

/** A bet with its `flaw`: the name of the value that does not follow from the bet's seeds and inputs. */
type Flaw = { betId: bigint; flaw: string };

const BETS_AT_ONCE = 5000;
const MOST_FLAWS = 100;

/** Replays every settled house bet from its seeds. The replayed commitment, outcome and payouts must equal the stored ones. */
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
    // Older bets have no bet_usd. Their payout was computed from the requested USD amount.
    const counted = row.bet_usd === null ? payoutUsd : countedUsdOf(payout, row.usd_rate);
    return payout === row.payout && counted === row.usd_payout ? undefined : 'payout';
  } catch (error) {
    // The error is returned and not thrown, so that a bet that cannot be replayed does not hide the flaws of other bets.
    return String(error);
  }
}

const ROUNDS_AT_ONCE = 200;

/**
 * Replays every drawn round. Its seed must hash to the previous round's seed or to the commitment. Its number must follow from the seed and
 * the public seed. Each payout must be the one that follows from all bets of the player in the round.
 */
export async function replayRounds(db: Db): Promise<{ bets: number; flaws: Flaw[] }> {
  const flaws: Flaw[] = [];
  let after = 0n;
  let count = 0;
  for (;;) {
    const rounds = await readRounds(db, after);
    if (rounds.length === 0) return { bets: count, flaws };
    const bets = await readRoundBets(db, rounds);
    const byRound = Map.groupBy(bets, (bet) => bet.roundId);
    for (const round of rounds) {
      const own = byRound.get(round.id) ?? [];
      const flaw = flawOfRound(round);
      if (flaw) flaws.push({ betId: own[0]?.id ?? 0n, flaw: `round ${round.id}: ${flaw}` });
      else flaws.push(...flawsOf(round, own));
    }
    count += bets.filter((bet) => bet.status === 'SETTLED').length;
    after = rounds.at(-1)!.id;
  }
}

type Round = {
  id: bigint;
  position: number;
  seed: string;
  seedHash: string;
  number: number;
  maxProfit: bigint;
  publicSeed: string;
  /**
   * The seed of the previous round, or the commitment for the first position. Null if the previous round was void and therefore has no
   * seed.
   */
  before: string | null;
};

async function readRounds(db: Db, after: bigint): Promise<Round[]> {
  const { rows } = await sql<Round>`
    select r.id, r.position, r.seed, r.seed_hash as "seedHash", r.number, r.max_profit as "maxProfit",
      c.public_seed as "publicSeed", case r.position when 1 then c.commitment else p.seed end as before
    from speed_rounds r join speed_chains c on c.id = r.chain_id
    left join speed_rounds p on p.chain_id = r.chain_id and p.position = r.position - 1
    where r.seed is not null and r.id > ${after} order by r.id limit ${sql.lit(ROUNDS_AT_ONCE)}`.execute(db);
  return rows;
}

async function readRoundBets(db: Db, rounds: readonly Round[]) {
  return (
    db
      .selectFrom('bets')
      .innerJoin('currencies', 'currencies.id', 'currency_id')
      .select([
        'bets.id',
        'user_id',
        'status',
        'amount as stake',
        'usd_amount as stakedUsd',
        'usd_rate as rate',
      ])
      .select(['currency_id as currencyId', 'decimals', 'payout', 'usd_payout', 'outcome'])
      .select(sql<boolean>`bet_usd is null`.as('isByWish'))
      .select(sql<bigint>`round_id`.as('roundId'))
      .select(sql<unknown>`inputs -> 'color'`.as('color'))
      .where(
        'round_id',
        'in',
        rounds.map(({ id }) => id),
      )
      // Skips a round if some of its rows are in a detached partition, because such a round cannot be checked.
      .where(
        sql<boolean>`exists (select from speed_rounds r where r.id = round_id and r.first_id >= (select archived_below('bets')))`,
      )
      .orderBy('bets.id')
      .execute()
  );
}

function flawOfRound({ position, seed, seedHash, number, publicSeed, before }: Round): string | undefined {
  if (hashServerSeed(seed) !== seedHash || (before !== null && before !== seedHash)) return 'seed';
  return positionOf(firstNumber(seed, publicSeed, position)) === number ? undefined : 'outcome';
}

type RoundBet = Awaited<ReturnType<typeof readRoundBets>>[number];

function flawsOf({ number, maxProfit }: Round, bets: readonly RoundBet[]): Flaw[] {
  const outcome = outcomeAt(number);
  return [...Map.groupBy(bets, (bet) => bet.user_id).values()].flatMap((own) => {
    const paid = payRound(own, number, maxProfit);
    return own.flatMap((bet, i): Flaw[] => {
      if (bet.status !== 'SETTLED') return [];
      if (!isDeepStrictEqual(bet.outcome, outcome)) return [{ betId: bet.id, flaw: 'outcome' }];
      const { payout, payoutUsd } = paid[i]!;
      const isPaid = bet.payout === payout && bet.usd_payout === payoutUsd;
      return isPaid ? [] : [{ betId: bet.id, flaw: 'payout' }];
    });
  });
}
