import type { z } from 'zod';
import { type Bettor, type Rounds, resultOf } from '../../betting/round.ts';
import { stream } from '../../fairness/hash.ts';
import { type HouseGames, limitsOf } from '../settings.ts';
import { KENO_MULTIPLIERS, playKeno } from './rules.ts';
import type { KenoBet, KenoConfig, KenoResult } from './schemas.ts';

export type Keno = ReturnType<typeof createKeno>;
type Result = z.input<typeof KenoResult>;

export function createKeno({ games, rounds }: { games: HouseGames; rounds: Rounds }) {
  return {
    series: rounds.series,

    config(): z.input<typeof KenoConfig> {
      return { ...limitsOf(games.get('keno').settings), multipliers: KENO_MULTIPLIERS };
    },

    async bet(by: Bettor, body: z.output<typeof KenoBet>): Promise<Result> {
      const { risk, selected, currencyId } = body;
      const inputs = { risk, selected };
      return rounds.play({
        by,
        game: games.get('keno'),
        body,
        inputs,
        play: ({ serverSeed, clientSeed }, nonce) => playKeno(inputs, stream(serverSeed, clientSeed, nonce)),
        answer: (bet) => resultOf(currencyId, bet),
      });
    },
  };
}
