/** npm run bench latency: measures bets at several network delays between the process and the database, with several numbers of lanes. */
import { startFaultProxy } from '../../test/kit/processes/fault-proxy.ts';
import { type Account, diceBets } from '../load/protocol.ts';
import { cpuPerBet, measureOnce, type Sample } from '../measure.ts';
import { createPlayers } from '../players.ts';
import { startBench, startServer } from '../processes.ts';
import { prove, proven } from '../proof.ts';
import { medianOf } from '../report.ts';
import { type Context, defineSuite } from '../suite.ts';
import { query } from '../world.ts';

const DELAYS_MS = [0, 1, 5, 25];
const LANES = [1, 2, 4];

export const latency = defineSuite({
  about: 'bets with a distant database',
  options: {
    rounds: [3, 'how often each combination is measured'],
    seconds: [4, 'length of one measurement'],
    connections: [256, 'players who bet at the same time'],
  },
  async run(context, { rounds, seconds, connections }) {
    const { world, say } = context;
    // So few players are all cached after the warm-up, as are players who bet continuously in production.
    const players = await createPlayers(world, { group: 'distant', count: 2 * connections });
    await query(world.db)`vacuum analyze`;
    const bench = await startBench(context, { distant: players });
    const streams = [diceBets('distant', connections, players.length)];
    const samples: Sample[] = [];
    for (let round = 1; round <= rounds; round++)
      for (const delayMs of DELAYS_MS)
        for (const lanes of round % 2 === 1 ? LANES : LANES.toReversed()) {
          const server = await startDistant(context, players, { delayMs, lanes });
          const task = { bench, subject: nameOf(delayMs, lanes), workload: 'distant', server, streams };
          const times = { warmUpMs: 2000 + 100 * delayMs, measureMs: 1000 * seconds };
          const sample = await measureOnce({ ...task, ...times });
          await server.stop();
          say(`${sample.subject}: ${sample.perSecond.toFixed(0)} bets/s`);
          samples.push(sample);
        }
    // Every measured server has been stopped.
    const proof = await prove(bench, []);
    const cell = (delayMs: number, lanes: number) => {
      const own = samples.filter((s) => s.subject === nameOf(delayMs, lanes));
      return `${medianOf(own, (s) => s.perSecond).toFixed(0)} (${medianOf(own, cpuPerBet).toFixed(0)} µs)`;
    };
    const title = `${connections} connections, ${players.length} players: bets/s (CPU per bet)`;
    const rows = DELAYS_MS.map((ms) => [`${ms} ms each way`, ...LANES.map((lanes) => cell(ms, lanes))]);
    const columns = ['', ...LANES.map((lanes) => `${lanes} lanes`)];
    return proven([proof], { tables: [{ title, columns, rows }], checks: [], details: { samples } });
  },
});

const nameOf = (delayMs: number, lanes: number) => `${delayMs} ms, ${lanes} lanes`;

/** Starts our server. A proxy delays all traffic between the server and its database. */
async function startDistant(
  { world, later }: Context,
  players: readonly Account[],
  { delayMs, lanes }: Record<'delayMs' | 'lanes', number>,
) {
  const [, folder = ''] = /host=([^&]+)/.exec(world.postgres.url)!;
  const proxy = await startFaultProxy({ target: { path: `${decodeURIComponent(folder)}/.s.PGSQL.5432` } });
  later(proxy.stop);
  if (delayMs > 0) proxy.mode({ latencyMs: delayMs });
  const url = `postgres://croupier@127.0.0.1:${proxy.port}/croupier`;
  const env = { ...world.env, DATABASE_URL: url, BET_LANES: String(lanes) };
  return startServer('ours', { env, later, players });
}
