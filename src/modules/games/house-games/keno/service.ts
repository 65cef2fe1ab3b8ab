import type { z } from 'zod';
import { type Betting, type Bettor, resultOf } from '../../betting/play.ts';
import { stream } from '../../fairness/hash.ts';
import { type HouseGames, limitsOf } from '../settings.ts';
import { KENO_MULTIPLIERS, playKeno } from './rules.ts';
import type { KenoBet, KenoConfig, KenoResult } from './schemas.ts';

export type Keno = ReturnType<typeof createKeno>;

export const createKeno = ({ games, betting }: { games: HouseGames; betting: Betting }) => ({
  config: (): z.input<typeof KenoConfig> => ({
    ...limitsOf(games.get('keno').settings),
    multipliers: KENO_MULTIPLIERS,
  }),

  async bet(by: Bettor, body: z.output<typeof KenoBet>): Promise<z.input<typeof KenoResult>> {
    const inputs = { risk: body.risk, selected: body.selected };
    return betting.play({
      by,
      game: games.get('keno'),
      body,
      inputs,
      play: ({ serverSeed, clientSeed }, nonce) => playKeno(inputs, stream(serverSeed, clientSeed, nonce)),
      answer: resultOf,
    });
  },
});
