/** The load generator. It is a separate process that its parent controls with messages (protocol.ts). */
import { createBetLog } from './bet-log.ts';
import type { Account, FromGenerator, Step, ToGenerator } from './protocol.ts';
import { runOrder } from './rush.ts';

const groups = new Map<string, readonly Account[]>();
const log = createBetLog();

const tell = (message: FromGenerator): void => void process.send?.(message);

process.on('message', (message: ToGenerator) => {
  if (message.type === 'players') groups.set(message.group, shuffled(message.players));
  else if (message.type === 'acknowledged') tell({ type: 'acknowledged', ...log.all() });
  else {
    const players = groups.get(message.group) ?? [];
    const requests = message.play.steps.map((step) => requestsOf(step, players));
    runOrder(message, { players, requests, log, tell }).then(
      (result) => tell({ type: 'finished', result }),
      (error) => {
        console.error(error);
        process.exit(1);
      },
    );
  }
});
process.on('disconnect', () => process.exit(0));
// Ctrl-C reaches the whole process group, but the parent decides when this process ends.
process.on('SIGINT', () => undefined);

/** Returns the prepared requests of one step, one for each player. */
function requestsOf({ path, body, isPublic }: Step, players: readonly Account[]): Buffer[] {
  const text = body ? JSON.stringify(body) : '';
  const first = `${body ? 'POST' : 'GET'} ${path} HTTP/1.1\r\nhost: bench\r\n`;
  const rest = body
    ? `content-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`
    : '\r\n';
  return players.map(({ token }) =>
    Buffer.from(first + (isPublic ? '' : `authorization: Bearer ${token}\r\n`) + rest, 'latin1'),
  );
}

/** Shuffles the players. The resulting order is the same in every run, and differs from the order of the players' rows on disk. */
function shuffled<T>(list: readonly T[]): T[] {
  const result = [...list];
  let state = 12_345;
  for (let i = result.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const j = state % (i + 1);
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}
