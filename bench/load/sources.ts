/** The requests of the connections: bets and reads of players, and signed calls of game providers. */
import { dialects } from '../../conformance/dialects.ts';
import { betIdIn, betIdsIn, isSuccess, requestOf } from './client.ts';
import { type Account, type GamesDialect, gameCodeOf, NOOP, type Stream, slugOf } from './protocol.ts';

/** Supplies the requests of one connection, one after another. */
export type Source = {
  next(): Buffer;
  /** Handles the response to the last request. Returns the number of acknowledged bets, or undefined if the request was rejected. */
  took(text: string, bodyAt: number): number | undefined;
  /** Skips a rejected request. If it belongs to a game, skips the rest of the game. */
  skip(): void;
  /** True if a game is open. It is finished even after the time is up, because it would otherwise still be open in the next order. */
  isOpen(): boolean;
};

/** The ids of all acknowledged bets, each with its player, and of all acknowledged transactions of each dialect. */
export type Log = Readonly<Record<'bets' | GamesDialect, string[]>>;

type Supplies = { players: readonly Account[]; log: Log };
type Plays = Extract<Stream, { what: 'plays' }>;
type Calls = Extract<Stream, { what: 'calls' }>;

/** Returns the sources of a stream's connections. */
export function sourcesOf(stream: Stream, supplies: Supplies): Source[] {
  const indexes = Array.from({ length: stream.connections }, (_, index) => index);
  if (stream.what === 'calls') {
    const { players } = supplies;
    const pool = Array.from({ length: stream.signed ?? 0 }, (_, n) =>
      roundOf(stream.dialect, players[n % players.length]!, stream.isNoop),
    );
    return indexes.map((index) => callsOf(stream, pool, { ...supplies, index }));
  }
  // The requests are prepared, because the generator shares the machine with the server.
  const players = supplies.players.slice(0, stream.players);
  const requests = stream.play.steps.map((step) => players.map(({ token }) => requestOf(step, token)));
  return indexes.map((index) => playsOf(stream, requests, { index, players, log: supplies.log }));
}

/** The connection has the players at the positions `index`, `index + connections`, and so on. */
function playsOf(
  { play, connections, keepsBets }: Plays,
  requests: readonly (readonly Buffer[])[],
  { index, players, log }: Supplies & { index: number },
): Source {
  const { steps, over, isRead } = play;
  const first = players.length === 1 ? 0 : index;
  let player = first;
  let step = 0;
  const skip = () => {
    step = 0;
    player += connections;
    if (player >= players.length) player = first;
  };
  /** Returns the number of bets that a response acknowledges. Returns 1 for a read, and for the later requests of a round. */
  const keep = (text: string, bodyAt: number): number => {
    if (isRead || !keepsBets || step > 0) return 1;
    const ids = betIdsIn(text, bodyAt);
    for (const id of ids) log.bets.push(`${id} of ${players[player]!.userId}`);
    return ids.length;
  };
  return {
    next: () => requests[step]![player]!,
    took(text, bodyAt) {
      if (!isSuccess(text) || !(isRead || betIdIn(text, bodyAt))) return undefined;
      const count = keep(text, bodyAt);
      if (step < steps.length - 1 && !(over !== undefined && text.includes(over, bodyAt))) step++;
      else skip();
      return count;
    },
    skip,
    isOpen: () => step > 0 && !isRead,
  };
}

/** The bytes of a call. `id` is the transaction that its response acknowledges. */
type Call = { bytes: Buffer; id: string | undefined };

const STAKE = '0.10';
const MARKS: Readonly<Record<GamesDialect, string>> = {
  generic: '"status":"OK"',
  hub88: '"status":"RS_OK"',
  softswiss: '"balance":',
  pragmatic: '"error":0',
};

/** The token of a player's session at a provider, as long as a real one. */
const sessionOf = (dialect: GamesDialect, userId: number): string => `${dialect}-${userId}`.padEnd(43, '_');

/** Returns the signed calls of one round: a bet, a win, and the end of the round. */
function roundOf(dialect: GamesDialect, { userId }: Account, isNoop: boolean): Call[] {
  const { calls, newId, newRound, base, secret } = dialects[dialect];
  const seat = {
    playerId: String(userId),
    token: sessionOf(dialect, userId),
    currency: 'USDT',
    gameCode: gameCodeOf(dialect),
  };
  const round = newRound();
  const [bet, win] = [newId('bet'), newId('win')];
  const moves = [
    { move: { type: 'bet', id: bet, amount: STAKE } as const, closes: false },
    { move: { type: 'win', id: win, amount: STAKE, reference: bet } as const, closes: true },
  ];
  const prefix = `${isNoop ? NOOP : ''}${base(slugOf(dialect))}`;
  return moves.flatMap(({ move, closes }) =>
    calls({ seat, round, moves: [move], closes }, { secret }).map(({ path, body, headers }, n) => {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const head = `POST ${prefix}${path} HTTP/1.1\r\nhost: bench\r\n${lines.join('')}`;
      const bytes = Buffer.from(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
      // The call that ends a round has no transaction.
      return { bytes, id: n === 0 ? move.id : undefined };
    }),
  );
}

/** `pool` contains the rounds that were signed in advance. */
function callsOf(
  { dialect, connections, isNoop, isHot, signed }: Calls,
  pool: Call[][],
  { index, players, log }: Supplies & { index: number },
): Source {
  const own = isHot ? [players[0]!] : players.filter((_, n) => n % connections === index);
  const mark = MARKS[dialect];
  let n = 0;
  let round: Call[] = [];
  const nextRound = (): Call[] => {
    if (!signed) return roundOf(dialect, own[n++ % own.length]!, isNoop);
    const ready = isNoop ? pool[(index + connections * n++) % pool.length] : pool.pop();
    if (!ready) throw new Error(`too few rounds of ${dialect} were signed in advance`);
    return [...ready];
  };
  return {
    next() {
      if (round.length === 0) round = nextRound();
      return round[0]!.bytes;
    },
    took(text, bodyAt) {
      if (!isSuccess(text) || !text.includes(mark, bodyAt)) return undefined;
      const { id } = round.shift()!;
      if (!isNoop && id !== undefined) log[dialect].push(id);
      return 1;
    },
    skip() {
      round = [];
    },
    isOpen: () => false,
  };
}
