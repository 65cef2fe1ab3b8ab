import { setTimeout as sleep } from 'node:timers/promises';
import { call, keepAlive } from './client.ts';
import { type Attempt, bet, type LoadPlayer } from './load.ts';

export type Answer = { what: string; status: number; retryAfter: unknown; startedMs: number; ms: number };
export type Prober = ReturnType<typeof createProber>;

const agent = keepAlive();
let bets = 0;

/** Sends a player's typical requests to a service, and records every bet in `history`. */
export function createProber(url: string, players: readonly LoadPlayer[], history: Attempt[]) {
  const betOnce = async (player: LoadPlayer): Promise<Attempt> => {
    const tag = `probe-${bets++}`;
    const key = bets % 2 === 0 ? `key-${tag}` : undefined;
    const attempt = await bet({ url, agent, player, tag, key });
    history.push(attempt);
    return attempt;
  };
  const read = (player: LoadPlayer) => get('read', `${url}/bets`, player.token);
  const health = () => get('health', `${url}/health`);
  return {
    bet: betOnce,

    /** Sends a bet, a read and a health check concurrently, five times a second. */
    async run(durationMs: number): Promise<Answer[]> {
      const began = performance.now();
      const answers: Promise<Answer>[] = [];
      for (let i = 0; performance.now() - began < durationMs; i++, await sleep(200)) {
        const player = players[i % players.length]!;
        for (const ask of [() => betOnce(player).then(asAnswer), () => read(player), health]) {
          const startedMs = performance.now() - began;
          const answer = ask().then((answer) => ({ ...answer, startedMs }));
          // The failure is ignored here, because it is reported at the end, together with all others.
          answer.catch(() => undefined);
          answers.push(answer);
        }
      }
      return Promise.all(answers);
    },

    /** Returns the milliseconds until a bet, a read and the health check all succeed again. */
    async untilAlive(): Promise<number> {
      const began = performance.now();
      for (;;) {
        const [attempt, page, state] = await Promise.all([betOnce(players[0]!), read(players[1]!), health()]);
        const isAlive = attempt.outcome === 'ok' && page.status === 200 && state.status === 200;
        if (isAlive) return performance.now() - began;
        if (performance.now() - began > 10_000)
          throw new Error(`still ${attempt.said}, ${page.status}, ${state.status}`);
        await sleep(50);
      }
    },

    /** Checks the health continuously. `stop` returns the duration of each response. */
    watchHealth() {
      const took: number[] = [];
      let watching = true;
      const watch = (async () => {
        for (; watching; await sleep(20)) took.push((await health()).ms);
      })();
      // A failure is ignored here, because `stop` reports it.
      watch.catch(() => undefined);
      return {
        async stop() {
          watching = false;
          await watch;
          return took;
        },
      };
    },
  };
}

export async function get(what: string, url: string, token?: string, timeoutMs = 15_000): Promise<Answer> {
  const began = performance.now();
  const { status, headers } = await call('GET', url, { agent, timeoutMs, ...(token && { token }) });
  return { what, status, retryAfter: headers['retry-after'], startedMs: 0, ms: performance.now() - began };
}

function asAnswer({ said, answer, ms }: Attempt): Answer {
  return { what: 'bet', status: Number(said.slice(0, 3)), retryAfter: answer?.retryAfter, startedMs: 0, ms };
}
