import { z } from 'zod';
import { object, strictObject } from '../../../../http/schemas.ts';
import { invalidField } from '../../../../platform/errors.ts';
import { basisPoints, resultOf } from '../../betting/play.ts';
import { firstNumber } from '../../fairness/hash.ts';
import { defineSingleStepGame, withOffer } from '../common.ts';
import { limboRisk } from '../risk/rules.ts';
import { betFields, limitFields, offerFields, resultFields } from '../schemas.ts';
import { limboPoint, limboTarget, playLimbo } from './rules.ts';

const LimboBet = strictObject('LimboBet', {
  ...betFields,
  multiplier: z.number().min(1.01).max(1_000_000),
});

const LimboResult = object('LimboResult', {
  ...resultFields,
  ...offerFields,
  randomMultiplier: z.number(),
});

const LimboConfig = object('LimboConfig', {
  ...limitFields,
  minMultiplier: z.number(),
  maxMultiplier: z.number(),
  rtp: z.number(),
});

export const limbo = defineSingleStepGame({
  slug: 'limbo',
  bet: { summary: 'Bet that the result reaches a multiplier', body: LimboBet, response: LimboResult },
  config: { summary: 'Get the limits, multipliers and RTP of limbo', response: LimboConfig },
  step({ multiplier }, settings) {
    const { rtp, minMultiplier, maxMultiplier } = settings;
    const target = limboTarget({ multiplier }, settings);
    if (target === undefined) {
      const message = `needs to lie between ${minMultiplier} and ${maxMultiplier} with at most two decimals`;
      throw invalidField('multiplier', message);
    }
    return {
      inputs: { multiplier },
      risk: () => limboRisk(target, basisPoints(rtp)),
      play: ({ serverSeed, clientSeed }, nonce) =>
        playLimbo(target, limboPoint(basisPoints(rtp), firstNumber(serverSeed, clientSeed, nonce))),
      answer: (bet) => withOffer(resultOf(bet), bet.outcome.randomMultiplier >= bet.outcome.multiplier),
    };
  },
});
