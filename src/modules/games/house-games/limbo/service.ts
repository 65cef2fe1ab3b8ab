import type { z } from 'zod';
import { commonErrors } from '../../../../platform/errors.ts';
import { type Betting, type Bettor, basisPoints, resultOf } from '../../betting/play.ts';
import { firstNumber } from '../../fairness/hash.ts';
import { type HouseGames, limitsOf } from '../settings.ts';
import { type LimboSettings, limboPoint, limboTarget, playLimbo } from './rules.ts';
import type { LimboBet, LimboConfig, LimboResult } from './schemas.ts';

export type Limbo = ReturnType<typeof createLimbo>;

export function createLimbo({ games, betting }: { games: HouseGames; betting: Betting }) {
  return {
    config(): z.input<typeof LimboConfig> {
      const { settings } = games.get('limbo');
      const { minMultiplier, maxMultiplier, rtp } = settings;
      return { ...limitsOf(settings), minMultiplier, maxMultiplier, rtp };
    },

    async bet(by: Bettor, body: z.output<typeof LimboBet>): Promise<z.input<typeof LimboResult>> {
      const { multiplier } = body;
      const game = games.get('limbo');
      const { settings } = game;
      const target = limboTarget({ multiplier }, settings);
      if (target === undefined) throw outsideTargets(settings);
      const rtpBp = basisPoints(settings.rtp);
      return betting.play({
        by,
        game,
        body,
        inputs: { multiplier },
        play: ({ serverSeed, clientSeed }, nonce) =>
          playLimbo(target, limboPoint(rtpBp, firstNumber(serverSeed, clientSeed, nonce))),
        answer: resultOf,
      });
    },
  };
}

function outsideTargets({ minMultiplier, maxMultiplier }: LimboSettings) {
  const message = `needs to lie between ${minMultiplier} and ${maxMultiplier} with at most two decimals`;
  return commonErrors.VALIDATION_FAILED({ fields: [{ path: 'multiplier', message }] });
}
