import { z } from 'zod';
import { object, strictObject } from '../../../../http/schemas.ts';
import { invalidField } from '../../../../platform/errors.ts';
import { basisPoints, resultOf } from '../../betting/play.ts';
import { firstNumber } from '../../fairness/hash.ts';
import { defineSingleStepGame, withOffer } from '../common.ts';
import { diceRisk } from '../risk/rules.ts';
import { betFields, limitFields, offerFields, resultFields } from '../schemas.ts';
import { diceOdds, playDice } from './rules.ts';

const DiceBet = strictObject('DiceBet', {
  ...betFields,
  threshold: z.number().min(0).max(100),
  above: z.boolean(),
});

export const DiceResult = object('DiceResult', {
  ...resultFields,
  ...offerFields,
  above: z.boolean(),
  randomValue: z.number(),
  threshold: z.number(),
  didWin: z.boolean(),
});

const DiceConfig = object('DiceConfig', {
  ...limitFields,
  maxMultiplier: z.number(),
  rtp: z.number(),
});

export const dice = defineSingleStepGame({
  slug: 'dice',
  bet: { summary: 'Bet on a roll above or below a threshold', body: DiceBet, response: DiceResult },
  config: { summary: 'Get the limits and RTP of dice', response: DiceConfig },
  step({ threshold, above }, { rtp, maxMultiplier }) {
    const odds = diceOdds({ threshold, above }, { rtpBp: basisPoints(rtp), maxMultiplier });
    if (!odds) {
      const message = `needs at most two decimals and odds that pay between 1.01 and ${maxMultiplier} times the stake`;
      throw invalidField('threshold', message);
    }
    return {
      inputs: { threshold, above },
      risk: () => diceRisk(odds),
      play: ({ serverSeed, clientSeed }, nonce) =>
        playDice({ threshold, above }, odds, firstNumber(serverSeed, clientSeed, nonce)),
      answer: (bet) => ({ ...withOffer(resultOf(bet), bet.outcome.didWin), above, threshold }),
    };
  },
});
