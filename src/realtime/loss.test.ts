import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { betReaches, connect, nodes, reaches, startsApi, stop } from '../../test/kit/processes/nodes.ts';

const started = startsApi();

test('continues the feed while the PostgreSQL link between processes is lost, and restores the link', async () => {
  const api = started();
  const pair = await nodes(api, {});
  const player = await api.newPlayer({ usdt: 100 });
  const socket = await connect(pair[1], player);
  await reaches(pair, player, socket, 'first');
  for (let i = 0; i < 2; i++) {
    const { rows } = await api.sql<{ pid: number }>`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'croupier realtime sockets' and datname = current_database()`.execute(api.db);
    expect(rows).toHaveLength(2);
    await betReaches(player, socket);
    await expect
      .poll(async () => {
        const { rows: listening } = await api.sql`select pid from pg_stat_activity
          where application_name = 'croupier realtime sockets' and datname = current_database()`.execute(
          api.db,
        );
        return listening.length;
      })
      .toBe(2);
  }
  await reaches(pair, player, socket, 'again');
  // No process may listen on two connections.
  await pair[0].sockets!.send({ event: 'only.once', userId: player.id });
  await socket.until('only.once');
  await sleep(200);
  expect(socket.heard.filter(({ event }) => event === 'only.once')).toHaveLength(1);
  socket.close();
  await stop(pair);
}, 240_000);
