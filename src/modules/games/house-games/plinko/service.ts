import type { z } from 'zod';
import { type Bettor, type Rounds, resultOf } from '../../betting/round.ts';
import { stream } from '../../fairness/hash.ts';
import { type HouseGames, limitsOf } from '../settings.ts';
import { playPlinko } from './rules.ts';
import type { PlinkoBet, PlinkoConfig, PlinkoResult } from './schemas.ts';

export type Plinko = ReturnType<typeof createPlinko>;
type Result = z.input<typeof PlinkoResult>;

export function createPlinko({ games, rounds }: { games: HouseGames; rounds: Rounds }) {
  return {
    series: rounds.series,

    config(): z.input<typeof PlinkoConfig> {
      const { settings } = games.get('plinko');
      return { ...limitsOf(settings), manualMs: settings.manualMs, autoMs: settings.autoMs };
    },

    async bet(by: Bettor, body: z.output<typeof PlinkoBet>): Promise<Result> {
      const { risk, rowsCount, currencyId } = body;
      const inputs = { risk, rowsCount };
      return rounds.play({
        by,
        game: games.get('plinko'),
        body,
        inputs,
        play: ({ serverSeed, clientSeed }, nonce) =>
          playPlinko(inputs, stream(serverSeed, clientSeed, nonce)),
        answer: (bet) => resultOf(currencyId, bet),
      });
    },
  };
}
