/**
 * npm run split [-- --players 60 --days 10 --seed 7 --out FILE]
 *
 * Which statements of the platform would need two databases if players were split over them by their ids? Runs the whole platform with people who play, pay and
 * write to each other, notes every statement and whose rows each transaction writes, then splits the data into two halves and asks each read of the
 * whole and of both halves. Prints what is of one player, what both have, and what crosses; docs/scaling.md says what that means.
 */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deserialize } from 'node:v8';
import pg from 'pg';
import { readArguments } from '../src/arguments.ts';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres.ts';
import { captureWrites, keepHalf, type Places, readPlaces, readWrites } from './split/halves.ts';
import { crossingsOf, judgeAll } from './split/judge.ts';
import type { Recorded } from './split/record.ts';
import { type Databases, stopTime } from './split/replay.ts';
import { everyStatement, reportOf } from './split/report.ts';
import { startPlatform } from './split/traffic.ts';

const { values } = readArguments('npm run split -- [--players 60] [--days 10] [--seed 7] [--out FILE]', {
  options: {
    players: { type: 'string' },
    days: { type: 'string' },
    seed: { type: 'string' },
    out: { type: 'string' },
  },
});
const [players, days, seed] = [values.players ?? 60, values.days ?? 10, values.seed ?? 7].map(Number) as [
  number,
  number,
  number,
];
/** Players of either half look around. */
const LOOKERS = 4;

const folder = mkdtempSync(join(tmpdir(), 'croupier-split-'));
const statements = join(folder, 'statements');
// The server's user must be able to enter when we are root.
chmodSync(folder, 0o711);
mkdirSync(statements);
const postgres = await startEmbeddedPostgres({
  dataDir: join(folder, 'postgres'),
  durable: true,
  database: 'whole',
  settings: { max_connections: '200', autovacuum: 'off' },
});
const clients: pg.Client[] = [];
try {
  const whole = await connect('whole');
  const places = await runPlatform(whole);
  const counts = await countOf(whole);
  const writes = await readWrites(whole);
  const recorded = readdirSync(statements).flatMap(
    (name) => deserialize(readFileSync(join(statements, name))) as Recorded[],
  );
  say(`${recorded.length} statements are asked of the whole and of both halves`);
  const databases = await splitInHalves(places);
  const judged = await judgeAll(recorded, {
    databases,
    places,
    writes: Map.groupBy(writes, ({ query }) => query),
  });
  const report = reportOf({ judged, crossings: crossingsOf(writes, recorded), places, counts });
  console.log(report);
  if (values.out) writeFileSync(values.out, `${report}\n\n${everyStatement(judged)}\n`);
} finally {
  for (const client of clients) await client.end().catch(() => undefined);
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

/** The whole platform, for as long as people live on it and look around. */
async function runPlatform(whole: pg.Client): Promise<Places> {
  const platform = await startPlatform({ databaseUrl: postgres.urlFor('whole'), folder, statements });
  try {
    const places = await readPlaces(whole);
    await captureWrites(whole, places);
    await platform.live(players, days, seed);
    await platform.meet();
    say(`${players} players have lived for ${days} days`);
    const { rows } = await whole.query<{ id: number; username: string }>(`
      select id, username from users join (select user_id, count(*) as bets from bets group by 1) b on user_id = users.id
      where not is_staff order by bets desc, id limit ${LOOKERS}`);
    say(`${await platform.lookAround(rows)} reads were answered`);
    return places;
  } finally {
    await platform.stop();
  }
}

/** The database as it is now, and two copies that have half of the players each. */
async function splitInHalves(places: Places): Promise<Databases> {
  await clients.pop()!.end();
  const admin = await connect('postgres');
  for (const name of ['even', 'odd']) await admin.query(`create database ${name} template whole`);
  const halves = [await connect('even'), await connect('odd')] as const;
  await keepHalf(halves[0], places, 0);
  await keepHalf(halves[1], places, 1);
  const again = await connect('whole');
  const at = new Date().toISOString();
  for (const db of [again, ...halves]) await stopTime(db, at);
  return { whole: again, halves };
}

async function connect(database: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: postgres.urlFor(database) });
  await client.connect();
  clients.push(client);
  return client;
}

/** What there was to find. */
async function countOf(db: pg.Client): Promise<Record<string, number>> {
  const { rows } = await db.query<Record<string, number>>(`
    select (select count(*)::int from users) as users, (select count(*)::int from bets) as bets,
      (select count(*)::int from ledger_entries) as "entries of the ledger", (select count(*)::int from deposits) as deposits,
      (select count(*)::int from withdrawals) as withdrawals, (select count(*)::int from tips) as tips,
      (select count(*)::int from affiliate_claims) as "claims of affiliates", (select count(*)::int from chat_messages) as "chat messages"`);
  return rows[0]!;
}

function say(line: string): void {
  console.error(`split  ${line}`);
}
