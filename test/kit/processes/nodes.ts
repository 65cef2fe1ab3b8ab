import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { betOnDice, type Player, startApp, type TestApp } from '../app.ts';
import { connectSocket } from '../http/sockets.ts';

/** Starts an API for the tests of a file. Fails if any of the tests causes an unhandled promise rejection. */
export function startsApi(): () => TestApp {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  let api: TestApp;
  beforeAll(async () => {
    process.on('unhandledRejection', note);
    api = await startApp();
  });
  afterAll(async () => {
    await api.stop();
    process.off('unhandledRejection', note);
  });
  afterEach(() => expect(unhandled.splice(0)).toEqual([]));
  return () => api;
}

/** Starts two realtime processes next to an API. */
export const nodes = async (api: TestApp, env: Record<string, string>) => {
  const start = () => startApp({ part: 'realtime', database: api.database, env });
  return [await start(), await start()] as const;
};
type Nodes = Awaited<ReturnType<typeof nodes>>;
export const connect = ({ url }: TestApp, { socketToken }: Player) =>
  connectSocket(url, { auth: { socket_token: socketToken } });
export const stop = async ([one, two]: Nodes) => {
  await two.stop();
  await one.stop();
};

/** Sends events on the first node until the second node's socket receives one of them. */
export async function reaches(
  [one]: Nodes,
  { id }: Player,
  socket: Awaited<ReturnType<typeof connect>>,
  event: string,
) {
  for (let tries = 0; tries < 100 && !socket.heard.some((frame) => frame.event === event); tries++) {
    await one.sockets!.send({ event, userId: id });
    await sleep(100);
  }
  await socket.until(event, undefined, 100);
}

export async function betReaches(player: Player, socket: Awaited<ReturnType<typeof connect>>) {
  const { betId } = (await betOnDice(player)).body;
  await socket.until('bet.settled', ({ data }) => JSON.stringify(data).includes(`"${betId}"`));
}
