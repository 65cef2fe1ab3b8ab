/** npm run bench leaderboards: compares small and large leaderboards, and measures how fast the consumer counts bets. */
import { readBoard } from '../../src/modules/engagement/leaderboards/service.ts';
import type { Db } from '../../src/platform/database/db.ts';
import { fillTable, insertPlainUsers } from '../fill.ts';
import { type Case, compareSizes, type House } from '../lists.ts';
import { check, timed } from '../report.ts';
import { defineSuite } from '../suite.ts';
import { query } from '../world.ts';

const SMALL = 1000;
const BETTORS = 1000;

export const leaderboards = defineSuite({
  about: 'ranks of leaderboards',
  options: {
    entrants: [100_000, 'participants of the large leaderboard'],
    rounds: [100, 'how often each read is measured'],
    bets: [100_000, 'bets that the consumer counts in three leaderboards'],
  },
  async run(context, { entrants, rounds, bets }) {
    const houses: House[] = [];
    const report = await compareSizes(context, {
      sizes: { small_leaderboard: SMALL, large_leaderboard: entrants },
      fill,
      async cases(house, count): Promise<Case[]> {
        houses.push(house);
        const [middle, last] = [await rankedPlayer(house, count >> 1), await rankedPlayer(house, count - 1)];
        return [
          ['first fifty (no HTTP)', () => readBoard(house.db, 1)],
          ["first fifty and the player's rank, mid-table", () => middle('/leaderboards/1')],
          ["first fifty and the player's rank, last", () => last('/leaderboards/1')],
          ['own leaderboards', () => middle('/leaderboards/my')],
        ];
      },
      rounds,
      mostRatio: 3,
      mostMs: 50,
    });
    if (bets === 0) return report;
    const effects = check('bets counted in three leaderboards, a second', await countBets(houses[1]!, bets));
    return { ...report, checks: [...report.checks, effects] };
  },
});

/** Signs in the player whose rank is `above` places below the first. */
async function rankedPlayer({ db, signIn }: House, above: number) {
  const [player] = await query(db)<{ username: string }>`
    select username from leaderboard_scores join users on id = user_id where leaderboard_id = 1
    order by score desc limit 1 offset ${above}`;
  return signIn(player!.username);
}

/** Returns how many bets of a thousand players the consumer applies to three leaderboards, per second. */
async function countBets({ db, services }: House, bets: number): Promise<number> {
  await query(db)`
    insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, user_id, game_id, status, currency_id)
    select b.base + k, 100000000, 0, 100000000, 0, 1000000000000, 1 + (b.n * 1000 + k) % ${BETTORS}::int,
      (select id from games where slug = 'dice'), 'SETTLED', 'USDT'
    from (select n, nextval('ledger_ids') as base from generate_series(1, ${Math.ceil(bets / 1000)}::int) n) b, generate_series(0, 999) k`;
  const { consumer } = services.leaderboards;
  const took = await timed(async () => {
    while (await consumer.hasNews()) await consumer.catchUp();
  });
  return Math.round((bets / took) * 1000);
}

/** Inserts participants. Their scores are stored as if they had changed many times. */
async function fill(db: Db, count: number): Promise<void> {
  await fillTable(db, 'users', (one) => insertPlainUsers(one, count));
  await query(db)`
    insert into leaderboards (type, status, name, description, currency_id, min_bet_usd, prizes, categories, provider_ids, game_slugs,
      moves_prizes_up, start_date, end_date, generation, participants)
    select 'SPECIAL', 'ACTIVE', 'A race', '', 'USDT', 0, '[{"place": 1, "usdAmount": "100"}]', '{}', '{}', '{}', false,
      now() - interval '1 hour', now() + interval '30 days', 0, case when n = 1 then ${count}::int else 0 end
    from generate_series(1, 3) n`;
  await query(db)`select setseed(0.4)`;
  await query(db)`
    insert into leaderboard_scores (leaderboard_id, user_id, score, reached_place)
    select 1, id, floor(1e8 / (0.0001 + random()))::numeric, floor(random() * 1e12)::int8 from users`;
  await query(db)`
    update leaderboard_scores set score = score + 1, reached_place = reached_place + 1 where user_id % 10 = 0`;
  await query(db)`vacuum analyze`;
}
