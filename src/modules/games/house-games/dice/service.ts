import type { z } from 'zod';
import { commonErrors } from '../../../../platform/errors.ts';
import { type Betting, type Bettor, basisPoints, resultOf } from '../../betting/play.ts';
import { firstNumber } from '../../fairness/hash.ts';
import { type HouseGames, limitsOf } from '../settings.ts';
import { diceOdds, playDice } from './rules.ts';
import type { DiceBet, DiceConfig, DiceResult } from './schemas.ts';

export type Dice = ReturnType<typeof createDice>;

export function createDice({ games, betting }: { games: HouseGames; betting: Betting }) {
  return {
    config(): z.input<typeof DiceConfig> {
      const { settings } = games.get('dice');
      return { ...limitsOf(settings), maxMultiplier: settings.maxMultiplier, rtp: settings.rtp };
    },

    async bet(by: Bettor, body: z.output<typeof DiceBet>): Promise<z.input<typeof DiceResult>> {
      const { threshold, above } = body;
      const game = games.get('dice');
      const { rtp, maxMultiplier } = game.settings;
      const odds = diceOdds({ threshold, above }, { rtpBp: basisPoints(rtp), maxMultiplier });
      if (!odds) throw outsideOdds(maxMultiplier);
      return betting.play({
        by,
        game,
        body,
        inputs: { threshold, above },
        play: ({ serverSeed, clientSeed }, nonce) =>
          playDice({ threshold, above }, odds, firstNumber(serverSeed, clientSeed, nonce)),
        answer: (bet) => ({ ...resultOf(bet), above, threshold }),
      });
    },
  };
}

function outsideOdds(maxMultiplier: number) {
  const message = `needs at most two decimals and odds that pay between 1.01 and ${maxMultiplier} times the stake`;
  return commonErrors.VALIDATION_FAILED({ fields: [{ path: 'threshold', message }] });
}
