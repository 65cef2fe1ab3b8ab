/**
 * npm run bench latency: measures bets per second at several network delays between the process and the database, with one, two and four
 * lanes. A proxy in front of the database delays traffic in both directions. docs/explanation/scaling.md has a table of the results.
 */
import { startDelayProxy } from './delay-proxy.ts';
import { measureOnce, type Sample } from './measure.ts';
import { numbersOf } from './options.ts';
import { planOfOurs } from './plan.ts';
import { createPlayers } from './players.ts';
import { startServer } from './processes.ts';
import { isProven, prove } from './proof.ts';
import { betsPerSecond, cpuPerBet, spreadOf } from './ratios.ts';
import { createSay } from './say.ts';
import { prepare } from './setup.ts';
import { runAndUndo } from './undo.ts';

const asked = numbersOf('latency', {
  rounds: [3, 'how often each combination is measured'],
  seconds: [4, 'length of one measurement'],
  connections: [256, 'players who bet at the same time'],
  least: [0, 'shortest delay each way that is measured, in milliseconds'],
});
const DELAYS_MS = [0, 1, 5, 25].filter((ms) => ms >= asked.least);
const LANES = [1, 2, 4];
/** With this small number of players, all of them are cached after the warm-up, as are players who bet continuously in production. */
const PLAYERS = 2 * asked.connections;
const GROUP = 'distant';
const plan = planOfOurs(asked);
const workload = {
  name: 'distant',
  what: `${asked.connections} connections, ${PLAYERS} players`,
  connections: asked.connections,
  players: PLAYERS,
};
const say = createSay();

await runAndUndo(async (later) => {
  const bench = await prepare({ plan, say, later });
  const { db, env, postgres } = bench.world;
  await bench.servers.get('ours')!.stop();
  const players = await createPlayers(db, env, { group: GROUP, count: PLAYERS });
  bench.generator.players(GROUP, players);
  const samples = new Map<string, Sample[]>();
  const nameOf = (delayMs: number, lanes: number) => `${delayMs} ms, ${lanes} lanes`;
  const [, socket] = /host=([^&]+)/.exec(postgres.url)!;
  const run = async (delayMs: number, lanes: number) => {
    const proxy = await startDelayProxy(`${decodeURIComponent(socket!)}/.s.PGSQL.5432`, delayMs);
    const url = `postgres://croupier@127.0.0.1:${proxy.port}/croupier`;
    const server = await startServer('ours', {
      env: { ...env, DATABASE_URL: url, BET_LANES: String(lanes) },
      execArgv: [],
    });
    try {
      await server.prime(players);
      const task = { variant: 'ours', game: 'dice', workload, group: GROUP } as const;
      const servers = new Map([['ours', server] as const]);
      const sample = await measureOnce(
        { ...bench, servers },
        { ...task, warmUpMs: 2000 + 100 * delayMs, measureMs: 1000 * asked.seconds },
      );
      const name = nameOf(delayMs, lanes);
      samples.set(name, [...(samples.get(name) ?? []), sample]);
      say(`${name}: ${betsPerSecond(sample).toFixed(0)} bets/s`);
    } finally {
      await server.stop();
      await proxy.stop();
    }
  };
  for (let round = 1; round <= asked.rounds; round++)
    for (const delayMs of DELAYS_MS)
      for (const lanes of round % 2 === 1 ? LANES : LANES.toReversed()) await run(delayMs, lanes);
  const proof = await prove(db, await bench.generator.acknowledged(), {
    seedSecret: env.SEED_SECRET,
    say: () => undefined,
  });
  if (!isProven(proof)) {
    console.log('The books do not agree with the responses, so this run has no results.');
    return 1;
  }
  console.log(`${workload.what}; bets a second (CPU per bet), medians of ${asked.rounds}`);
  console.log(`| One way | ${LANES.map((lanes) => `${lanes} lanes`).join(' | ')} |`);
  for (const delayMs of DELAYS_MS) {
    const cells = LANES.map((lanes) => {
      const of = samples.get(nameOf(delayMs, lanes))!;
      return `${spreadOf(of.map(betsPerSecond)).median.toFixed(0)} (${spreadOf(of.map(cpuPerBet)).median.toFixed(0)} µs)`;
    });
    console.log(`| ${delayMs} ms | ${cells.join(' | ')} |`);
  }
  return 0;
});
