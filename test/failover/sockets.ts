import { type Client, connect, type Frame } from '../../client/client.ts';
import type { Db } from '../../src/platform/database/db.ts';
import type { World } from '../chaos/world.ts';
import type { Person } from '../kit/processes/visitors.ts';
import { until } from '../kit/until.ts';

const LISTENERS = 5;
const HEARD_MS = 30_000;

type Listener = Person & { client: Client; settled: Frame<'bet.settled'>[]; resyncs: number };
type Outside = Pick<World, 'cluster' | 'insist'>;

/** Creates players whose clients stay connected throughout the run and record all received events. */
export async function createListeners(world: Outside) {
  const people: Listener[] = [];
  for (let i = 0; i < LISTENERS; i++) people.push(await listen(world, `listener_${i}`));
  const clients = people.map(({ client }) => client);
  await until(() => clients.every((client) => client.isConnected()));
  return {
    people,
    /**
     * Returns differences from the table of bets. Each player must receive each of their bets once and in order, and must never have to
     * resync.
     */
    problems: async (db: Db): Promise<string[]> =>
      (await Promise.all(people.map((listener) => gaps(db, listener)))).flat(),
    close(): void {
      for (const client of clients) client.close();
    },
  };
}

async function listen({ cluster, insist }: Outside, username: string): Promise<Listener> {
  const signIn = async () => (await insist('POST', `/debug/auth/login/${username}`)).body;
  const { token } = (await signIn()).accessToken;
  await insist('GET', '/debug/me/give-money?amount=100000', { token });
  const { body } = await insist('GET', '/user/me', { token });
  const client = connect({
    url: cluster.balanced('realtime'),
    token: async () => (await signIn()).socketToken.token,
  });
  const listener: Listener = { id: body.id, token, client, settled: [], resyncs: 0 };
  client.on('bet.settled', (_data, frame) => void listener.settled.push(frame));
  client.onResync(() => void listener.resyncs++);
  return listener;
}

async function gaps(db: Db, { id, settled, resyncs }: Listener): Promise<string[]> {
  const bets = await db.selectFrom('bets').select('id').where('user_id', '=', id).orderBy('id').execute();
  const made = bets.map((bet) => String(bet.id));
  // A timeout is ignored here, because missing events are reported below.
  await until(() => settled.length >= made.length, HEARD_MS).catch(() => undefined);
  const heard = settled.map(({ data }) => data.betId);
  const [known, all] = [new Set(heard), new Set(made)];
  const order = settled.map(({ seq }) => seq);
  const problems = {
    'bets not heard of': made.filter((bet) => !known.has(bet)).length,
    'bets heard of that are not there': heard.filter((bet) => !all.has(bet)).length,
    'bets heard of twice': heard.length - known.size,
    'frames out of order': order.filter((seq, i) => i > 0 && seq <= order[i - 1]!).length,
    resyncs,
  };
  return Object.entries(problems).flatMap(([what, n]) => (n > 0 ? `listener ${id}: ${n} ${what}` : []));
}
