import { dialects } from '../conformance/dialects.ts';
import { type GamesDialect, gameCodeOf, NOOP, slugOf, type WalletPlayer } from './wallet-protocol.ts';

/** The bytes of a request. `id` is the transaction that its response acknowledges. */
export type Ready = { bytes: Buffer; id: string | undefined };

const STAKE = '0.10';

/** Returns the signed requests of one round. */
export function roundOf(dialect: GamesDialect, player: WalletPlayer, isNoop: boolean): Ready[] {
  const { calls, newId, newRound, base, secret } = dialects[dialect];
  const seat = {
    playerId: String(player.userId),
    token: player.sessions[dialect],
    currency: 'USDT',
    gameCode: gameCodeOf(dialect),
  };
  const round = newRound();
  const bet = newId('bet');
  const win = newId('win');
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

/** The string that marks a successful response. */
export const MARKS: Readonly<Record<GamesDialect, string>> = {
  generic: '"status":"OK"',
  hub88: '"status":"RS_OK"',
  softswiss: '"balance":',
  pragmatic: '"error":0',
};
