/**
 * npm exec -- node bench/split.ts [--players 60 --days 10 --seed 7 --out FILE]
 *
 * Reports the statements that would need two databases if players were sharded by id. Runs the whole platform with simulated players who
 * play, pay and chat. Records every statement, and the players whose rows each transaction writes. Then splits the data into two halves,
 * and runs each read on the whole database and on both halves. Reports which statements concern one player, which read shared data, and
 * which need both halves. docs/explanation/scaling.md explains the result.
 */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { deserialize } from 'node:v8';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/platform/database/embedded/postgres.ts';
import { captureWrites, keepHalf, type Places, readPlaces, readWrites } from './split/halves.ts';
import { crossingsOf, judgeAll } from './split/judge.ts';
import type { Recorded } from './split/record.ts';
import { type Databases, stopTime } from './split/replay.ts';
import { everyStatement, reportOf } from './split/report.ts';
import { startPlatform } from './split/traffic.ts';
import { type Later, runAndUndo } from './undo.ts';

const NUMBERS = { players: [4, 5000, 60], days: [1, 90, 10], seed: [0, 2 ** 31, 7] } as const;
type Name = keyof typeof NUMBERS;
const { values } = parseArgs({
  options: {
    players: { type: 'string' },
    days: { type: 'string' },
    seed: { type: 'string' },
    out: { type: 'string' },
  },
});
const wrong = (Object.keys(NUMBERS) as Name[]).find((name) => {
  const [least, most, usual] = NUMBERS[name];
  const given = values[name] ?? String(usual);
  return !/^\d+$/.test(given) || Number(given) < least || Number(given) > most;
});
if (wrong) {
  console.error(`--${wrong} must be a whole number from ${NUMBERS[wrong][0]} to ${NUMBERS[wrong][1]}.`);
  process.exit(2);
}
const number = (name: Name): number => Number(values[name] ?? NUMBERS[name][2]);
/** Number of players who call every read operation. They are the players with the most bets. */
const LOOKERS = 4;

type World = { folder: string; statements: string; urlFor: (database: string) => string; later: Later };

await runAndUndo(async (later) => {
  const world = await createWorld(later);
  const places = await runPlatform(world);
  const whole = await connect(world, 'whole');
  const counts = await countOf(whole);
  const writes = await readWrites(whole);
  // PostgreSQL cannot copy a database while clients are connected to it.
  await whole.end();
  const recorded = readdirSync(world.statements).flatMap(
    (name) => deserialize(readFileSync(join(world.statements, name))) as Recorded[],
  );
  say(`${recorded.length} statements run on the full data set and on both halves`);
  const databases = await splitInHalves(world, places);
  const byStatement = Map.groupBy(writes, ({ query }) => query);
  const judged = await judgeAll(recorded, { databases, places, writes: byStatement });
  const report = reportOf({ judged, crossings: crossingsOf(writes, recorded), places, counts });
  console.log(report);
  if (values.out) writeFileSync(values.out, `${report}\n\n${everyStatement(judged)}\n`);
  return 0;
});

/** Starts a PostgreSQL server in a temporary folder. */
async function createWorld(later: Later): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'croupier-split-'));
  later(async () => rmSync(folder, { recursive: true, force: true }));
  const statements = join(folder, 'statements');
  // The server's user must be able to enter the folder when the script runs as root.
  chmodSync(folder, 0o711);
  mkdirSync(statements);
  const { stop, urlFor } = await startEmbeddedPostgres({
    dataDir: join(folder, 'postgres'),
    durable: true,
    database: 'whole',
    settings: { max_connections: '200', autovacuum: 'off' },
  });
  later(stop);
  return { folder, statements, urlFor, later };
}

/** Runs the whole platform while demo users use it, and calls every read operation. */
async function runPlatform(world: World): Promise<Places> {
  const platform = await startPlatform({ ...world, databaseUrl: world.urlFor('whole') });
  world.later(platform.stop);
  const whole = await connect(world, 'whole');
  const places = await readPlaces(whole);
  await captureWrites(whole, places);
  await platform.live(number('players'), number('days'), number('seed'));
  await platform.meet();
  say(`${number('players')} players have been active for ${number('days')} days`);
  const { rows } = await whole.query<{ id: number; username: string }>(`
    select id, username from users join (select user_id, count(*) as bets from bets group by 1) b on user_id = users.id
    where not is_staff order by bets desc, id limit ${LOOKERS}`);
  say(`${await platform.lookAround(rows)} reads succeeded`);
  await platform.stop();
  await whole.end();
  return places;
}

/** Copies the current database twice, and keeps half of the players in each copy. */
async function splitInHalves(world: World, places: Places): Promise<Databases> {
  const admin = await connect(world, 'postgres');
  for (const name of ['even', 'odd']) await admin.query(`create database ${name} template whole`);
  const halves = [await connect(world, 'even'), await connect(world, 'odd')] as const;
  await keepHalf(halves[0], places, 0);
  await keepHalf(halves[1], places, 1);
  const whole = await connect(world, 'whole');
  const at = new Date().toISOString();
  for (const db of [whole, ...halves]) await stopTime(db, at);
  return { whole, halves };
}

async function connect({ urlFor, later }: World, database: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: urlFor(database) });
  await client.connect();
  later(() => client.end());
  return client;
}

/** Counts the rows that this run created. */
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
