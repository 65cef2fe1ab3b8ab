import { sql } from 'kysely';
import { type Bench, groupOf } from './measure.ts';
import { PLAYERS, type Plan } from './plan.ts';
import { createPlayers } from './players.ts';
import { type Server, startGenerator, startServer } from './processes.ts';
import type { Account, Variant } from './protocol.ts';
import { answersOf, createReaders } from './readers.ts';
import type { Later } from './undo.ts';
import { createWorld, type World } from './world.ts';

type Options = {
  plan: Plan;
  say: (line: string) => void;
  later: Later;
};

/** Starts the database, creates players, and starts the generator and one server per variant. All of them run until the end. */
export async function prepare({ plan, say, later }: Options): Promise<Bench> {
  const startedMs = performance.now();
  say('starting PostgreSQL');
  const creating = createWorld({ timed: plan.profile !== undefined });
  // The cleanup is registered before the database is ready, because Ctrl-C may be pressed before then.
  later(async () => (await creating.catch(() => undefined))?.close());
  const world = await creating;
  const groups = await createGroups(plan, world, say);
  const generator = startGenerator();
  later(() => generator.stop());
  for (const [group, players] of groups) generator.players(group, players);
  const servers = new Map<Variant, Server>();
  for (const variant of plan.variants) {
    say(`starting the server of ${variant}`);
    const server = await startServer(variant, { env: world.env, execArgv: profiling(plan, variant) });
    later(() => server.stop());
    servers.set(variant, server);
    await server.prime(groups.get(groupOf(variant))!);
  }
  if (plan.isReads) await shareAnswers(plan, servers, groups.get(groupOf('ours'))!);
  return { plan, world, servers, generator, startedMs, say };
}

/** Each variant that writes has its own players, because bets of another variant would make its cache stale. */
async function createGroups(
  plan: Plan,
  { db, env }: World,
  say: (line: string) => void,
): Promise<Map<string, Account[]>> {
  const groups = new Map<string, Account[]>();
  for (const group of new Set(plan.variants.map(groupOf))) {
    say(`creating ${PLAYERS} players for ${group}`);
    const create = plan.isReads ? createReaders : createPlayers;
    groups.set(group, await create(db, env, { group, count: PLAYERS }));
  }
  await sql`vacuum analyze`.execute(db);
  return groups;
}

/**
 * Gives bare Fastify our server's responses for one player. The player is from the middle of the list, so that the username has an average
 * length.
 */
async function shareAnswers(
  { games }: Plan,
  servers: ReadonlyMap<Variant, Server>,
  players: readonly Account[],
): Promise<void> {
  const texts = await answersOf(servers.get('ours')!, players[players.length >> 1]!, games);
  servers.get('fastify')?.answers(texts);
}

function profiling({ profile }: Plan, variant: Variant): string[] {
  return profile === undefined
    ? []
    : ['--cpu-prof', `--cpu-prof-dir=${profile}`, `--cpu-prof-name=${variant}.cpuprofile`];
}
