/**
 * npm run bench bets: compares deep pages with the first page, in the history of a player who made a tenth of all bets, and in the staff list
 * of all bets.
 */
import type { Db } from '../../src/platform/database/db.ts';
import { fillTable, HEAVY, inRanges, insertPlainUsers, type Range, selectEvents, skipIds } from '../fill.ts';
import { comparePairs, daysAgo, openHouse, type Pair, WARM_UPS } from '../lists.ts';
import { quantile, seconds, type Table, timed } from '../report.ts';
import { type Context, defineSuite } from '../suite.ts';
import { query } from '../world.ts';

export const bets = defineSuite({
  about: 'deep pages of long lists of bets',
  options: {
    rows: [10_000_000, 'number of bets'],
    rounds: [60, 'how often each read is measured'],
  },
  async run(context, { rows, rounds }) {
    const { lists, others } = await openLists(context, rows);
    const pairs: Pair[] = [];
    for (const list of lists) pairs.push(...(await pairsOf(list, rounds)));
    const report = await comparePairs(context, pairs, { heads: ['first', 'deep'], rounds });
    return { ...report, tables: [...report.tables, await measureOthers(others, rounds)] };
  },
});

type List = { name: string; ask: (page: number) => Promise<{ total: number }> };
const TAKE = 20;
const SHARES = { 'page after a tenth': 0.1, 'in the middle': 0.5, 'one of the last pages': 0.999 };

/** Starts the main API on a database with this many bets. `lists` have deep pages, `others` do not. */
async function openLists(context: Context, count: number) {
  const house = await openHouse(context, 'bets', (db) => fillBets(db, count));
  const { say } = context;
  say(`setting the page marks for all users: ${seconds(await timed(() => house.services.bets.setMarks()))}`);
  const read = await house.signIn(`user${HEAVY}`);
  say(`setting the page marks of the player: ${seconds(await timed(() => read('/bets')))}`);
  const history = (name: string, more = ''): List => ({
    name,
    ask: (page) => read(`/bets?take=${TAKE}&page=${page}${more}`),
  });
  const staff = (name: string, more: object = {}): List => ({
    name,
    ask: (page) => house.staff('/admin/bets', { take: TAKE, page, ...more }),
  });
  const lists = [
    history("a player's history"),
    history("a player's history, oldest first", '&sortOrder=asc'),
    staff('all players'),
    staff('all players, oldest first', { sortOrder: 'asc' }),
    staff('all players, settled', { where: { status: 'SETTLED' } }),
    staff('one player', { where: { userId: HEAVY } }),
    staff('one player, settled', { where: { userId: HEAVY, status: 'SETTLED' } }),
  ];
  const others = [
    staff('all players, a game', { where: { gameSlug: 'dice' } }),
    staff('all players, failed', { where: { status: 'ERROR' } }),
    staff('all players, half of the period', { where: { endDate: daysAgo(182) } }),
    { name: 'live feed', ask: () => read('/live-bets?type=ALL&count=100') },
    { name: "a player's live feed", ask: () => read('/live-bets/my?count=100') },
  ];
  return { lists, others };
}

/** Pairs the first page of a list with deep pages. Each round requests a different deep page, adjacent to the previous one. */
async function pairsOf({ name, ask }: List, rounds: number): Promise<Pair[]> {
  const { total } = await ask(1);
  return Object.entries(SHARES).map(([where, share]) => {
    const page = Math.max(rounds + WARM_UPS + 1, Math.floor((total / TAKE) * share));
    return { name: `${name}: ${where}`, few: () => ask(1), many: (i) => ask(page - i) };
  });
}

async function measureOthers(lists: readonly List[], rounds: number): Promise<Table> {
  const rows: (string | number)[][] = [];
  for (const { name, ask } of lists) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) times.push(await timed(() => ask(1)));
    rows.push([name, quantile(times, 0.5), quantile(times, 0.95)]);
  }
  return { title: 'Lists without deep pages, in ms', columns: ['', 'p50', 'p95'], rows };
}

const OWNERS = 10;

/** Inserts `bets` bets. Ten of every 10,000 are not settled: 3 are open, 3 have failed and 4 have been rolled back. */
export async function fillBets(db: Db, bets: number): Promise<void> {
  const users = Math.max(20, Math.round(bets / 500));
  await insertPlainUsers(db, users);
  await referEverySecond(db);
  const insert = (one: Db, { from, to }: Range) => query(one)`
      insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, created_at, updated_at, user_id, game_id, status,
        currency_id, settled_at, rtp_bp)
      select id, amount, payout, amount, payout, 1e12, at, at, user_id, 1 + hash % 9, status, currency_id,
        case when status <> 'CREATED' then at end, 9900
      from (
        select *, 1e8::int8 * (hash % 100) as payout, case when e % 10000 < 3 then 'CREATED' when e % 10000 < 6 then 'ERROR'
          when e % 10000 < 10 then 'ROLLBACK' else 'SETTLED' end as status
        from ${selectEvents({ from, to, events: bets, users })} event
      ) bet order by e`;
  await fillTable(db, 'bets', (one) => inRanges(1, bets, (range) => insert(one, range)));
  await skipIds(db, bets);
  await query(db)`vacuum analyze`;
}

/** Stores a referral for every second player. The referrer is one of the first players. */
async function referEverySecond(db: Db): Promise<void> {
  await query(db)`
    with referred as (
      select id, 1 + id / 2 % ${OWNERS}::int as owner from users where id % 2 = 0 and id > ${OWNERS}::int),
    owners as (select owner as id, count(*) as came from referred group by owner),
    codes as (
      insert into affiliate_codes (key, code, user_id, users_count) select 'bench-' || id, 'bench-' || id, id, came from owners),
    accounts as (insert into affiliates (user_id, referral_count) select id, came from owners)
    insert into referrals (user_id, affiliate_user_id, code_key, is_held)
    select id, owner, 'bench-' || owner, false from referred order by id`;
}
