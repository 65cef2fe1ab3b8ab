import type { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { call, keepAlive, type Reply } from './client.ts';

export type LoadPlayer = { id: number; token: string };

/**
 * ok: the bet was acknowledged. refused: the service reports that the bet was not placed. unknown: neither of these. A bet with an unknown
 * outcome and a key is repeated later with the same key, and the later response determines its outcome.
 */
export type Outcome = 'ok' | 'refused' | 'unknown';

/** One line of the history. `tag` is stored as the bet's windowId, so that the bet can be found. */
export type Attempt = {
  tag: string;
  userId: number;
  key: string | undefined;
  outcome: Outcome;
  /** Status or error of the response: 201, 400 INSUFFICIENT_BALANCE, ECONNRESET … */
  said: string;
  answer: any;
  target: number;
  sentAt: number;
  ms: number;
};

export type LoadOptions = {
  /** Returns the current URLs of the services, which may change when they restart. */
  targets: () => readonly string[];
  players: readonly LoadPlayer[];
  clients: number;
  /** Number of clients that all bet as the first player. */
  hot: number;
  random: () => number;
  name: string;
  /** The pause of each client between two bets. Without it, the clients use all of the processor that the services leave. */
  pauseMs?: number;
};

export type Load = { history: Attempt[]; stop(): Promise<void> };

let loads = 0;

/** Starts clients that bet continuously, about half of the time with an Idempotency-Key. */
export function startLoad(options: LoadOptions): Load {
  const { targets, players, clients, hot, random, pauseMs = 0 } = options;
  // The tags must be unique, because a retried test must not repeat the bets of its first attempt.
  const name = `${options.name}-${++loads}`;
  const history: Attempt[] = [];
  const agent = keepAlive();
  let stopping = false;
  const client = async (index: number) => {
    for (let n = 0; !stopping; n++) {
      const player = index < hot ? players[0]! : players[Math.floor(random() * players.length)]!;
      const tag = `${name}-${index}-${n}`;
      const key = random() < 0.5 ? `key-${tag}` : undefined;
      const target = Math.floor(random() * targets().length);
      const attempt = await bet({ url: targets()[target]!, agent, player, tag, key });
      history.push({ ...attempt, target });
      if (attempt.outcome !== 'ok' && !attempt.said.startsWith('400')) await sleep(20 + random() * 30);
      else if (pauseMs > 0) await sleep(2 * pauseMs * random());
    }
  };
  const all = Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  return {
    history,
    async stop() {
      stopping = true;
      await all;
      agent.destroy();
    },
  };
}

type Bet = { url: string; agent: Agent; player: LoadPlayer; tag: string; key: string | undefined };

/** Places one dice bet of one dollar. Never rejects, because failures are part of the history. */
export async function bet({ url, agent, player, tag, key }: Bet): Promise<Attempt> {
  const sentAt = performance.now();
  const { outcome, said, answer } = await call('POST', `${url}/casino/games/house/dice/bet`, {
    agent,
    token: player.token,
    body: { currencyId: 'USDT', betAmount: '1', threshold: 50, above: true, windowId: tag },
    headers: key === undefined ? {} : { 'idempotency-key': key },
  }).then(judge, lost);
  const ms = performance.now() - sentAt;
  return { tag, key, outcome, said, answer, sentAt, ms, userId: player.id, target: 0 };
}

type Judged = Pick<Attempt, 'outcome' | 'said' | 'answer'>;

function judge({ status, body, headers }: Reply): Judged {
  const said = status === 201 ? '201' : `${status} ${body?.code}`;
  if (status === 201) return { outcome: 'ok', said, answer: body };
  const isUnknown = status === 500 || body?.code === 'BET_OUTCOME_UNKNOWN';
  const answer = { ...body, retryAfter: headers['retry-after'] };
  return { outcome: isUnknown ? 'unknown' : 'refused', said, answer };
}

/** Without a response, a bet has definitely failed only if the connection was never established. */
function lost(error: NodeJS.ErrnoException): Judged {
  const said = error.code ?? error.message;
  return { outcome: said === 'ECONNREFUSED' ? 'refused' : 'unknown', said, answer: undefined };
}

/** Repeats every unknown bet that has a key, with the same key, until the service gives a definite response. */
export async function resolveUnknown(
  history: readonly Attempt[],
  { targets, players }: Pick<LoadOptions, 'targets' | 'players'>,
): Promise<number> {
  const tokens = new Map(players.map((player) => [player.id, player]));
  const open = history.filter((attempt) => attempt.outcome === 'unknown' && attempt.key !== undefined);
  const agent = keepAlive();
  await Promise.all(
    open.map(async (attempt, i) => {
      const player = tokens.get(attempt.userId)!;
      for (const until = Date.now() + 15_000; attempt.outcome === 'unknown'; await sleep(50)) {
        const url = targets()[i % targets().length]!;
        const again = await bet({ url, agent, player, tag: attempt.tag, key: attempt.key });
        const isFinal = again.outcome === 'ok' || again.said.startsWith('4');
        if (isFinal)
          Object.assign(attempt, { outcome: again.outcome, said: again.said, answer: again.answer });
        else if (Date.now() > until) throw new Error(`${attempt.tag} stays unknown: ${again.said}`);
      }
    }),
  );
  agent.destroy();
  return open.length;
}

/** Repeats the latest bets acknowledged under a key. Each must get the same response. Returns the differences. */
export async function repeatAcknowledged(
  history: readonly Attempt[],
  { targets, players }: Pick<LoadOptions, 'targets' | 'players'>,
): Promise<string[]> {
  const tokens = new Map(players.map((player) => [player.id, player]));
  const last = history.filter((attempt) => attempt.outcome === 'ok' && attempt.key !== undefined).slice(-40);
  const agent = keepAlive();
  const differences = await Promise.all(
    last.map(async ({ tag, key, userId, answer }, i) => {
      const url = targets()[i % targets().length]!;
      const again = await bet({ url, agent, player: tokens.get(userId)!, tag, key });
      return isDeepStrictEqual(again.answer, answer)
        ? []
        : [`${tag} repeated answers ${again.said} differently`];
    }),
  );
  agent.destroy();
  return differences.flat();
}

/** Signs in players and gives them play money, eight at a time. */
export async function createPlayers(url: string, dollars: readonly number[]): Promise<LoadPlayer[]> {
  const agent = keepAlive();
  const players: LoadPlayer[] = [];
  const name = `load_${Date.now().toString(36)}`;
  const left = dollars.entries();
  const worker = async () => {
    for (const [i, amount] of left) {
      const signedIn = await expectOk(call('POST', `${url}/debug/auth/login/${name}_${i}`, { agent }));
      const token = signedIn.accessToken.token as string;
      await expectOk(call('GET', `${url}/debug/me/give-money?amount=${amount}`, { agent, token }));
      const me = await expectOk(call('GET', `${url}/user/me`, { agent, token }));
      players[i] = { id: me.id, token };
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  agent.destroy();
  return players;
}

async function expectOk(reply: Promise<Reply>): Promise<any> {
  const { status, body } = await reply;
  if (status >= 300) throw new Error(`a player could not be created: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** Returns numbers from 0 to 1, determined by a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
