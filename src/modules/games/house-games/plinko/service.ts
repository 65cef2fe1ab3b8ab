import type { z } from 'zod';
import { type Betting, type Bettor, resultOf } from '../../betting/play.ts';
import { stream } from '../../fairness/hash.ts';
import { type HouseGames, limitsOf } from '../settings.ts';
import { playPlinko } from './rules.ts';
import type { PlinkoBet, PlinkoConfig, PlinkoResult } from './schemas.ts';

export type Plinko = ReturnType<typeof createPlinko>;

export const createPlinko = ({ games, betting }: { games: HouseGames; betting: Betting }) => ({
  config(): z.input<typeof PlinkoConfig> {
    const { settings } = games.get('plinko');
    return { ...limitsOf(settings), manualMs: settings.manualMs, autoMs: settings.autoMs };
  },

  async bet(by: Bettor, body: z.output<typeof PlinkoBet>): Promise<z.input<typeof PlinkoResult>> {
    const inputs = { risk: body.risk, rowsCount: body.rowsCount };
    return betting.play({
      by,
      game: games.get('plinko'),
      body,
      inputs,
      play: ({ serverSeed, clientSeed }, nonce) => playPlinko(inputs, stream(serverSeed, clientSeed, nonce)),
      answer: resultOf,
    });
  },
});
