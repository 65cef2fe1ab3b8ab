import { z } from 'zod';
import { Amount, object, strictObject } from '../../../http/schemas.ts';
import { invalidField } from '../../../platform/errors.ts';
import { isTooMuch, parseUnits, type Units } from '../../../platform/money.ts';
import { basisPoints, usdDecimals } from '../betting/rules.ts';
import { firstNumber, stream } from '../fairness/hash.ts';
import { defineSingleStepGame, resultOf, withOffer } from './common.ts';
import { diceOdds, playDice } from './dice/rules.ts';
import {
  areDifferent,
  KENO_MOST,
  KENO_MULTIPLIERS,
  KENO_NUMBERS,
  KENO_RISKS,
  playKeno,
} from './keno/rules.ts';
import { limboPoint, limboTarget, playLimbo } from './limbo/rules.ts';
import { PLINKO_RISKS, PLINKO_ROWS, playPlinko } from './plinko/rules.ts';
import { diceRisk, kenoRisk, limboRisk, plinkoRisk, rouletteRisk } from './risk/rules.ts';
import {
  playRoulette,
  ROULETTE_MOST_ENTRIES,
  ROULETTE_TYPES,
  type RouletteStake,
  rouletteStakes,
  totalOf,
} from './roulette/rules.ts';
import { betFields, limitFields, offerFields, resultFields } from './schemas.ts';

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

const PlinkoBet = strictObject('PlinkoBet', {
  ...betFields,
  risk: z.enum(PLINKO_RISKS),
  rowsCount: z.number().int().min(PLINKO_ROWS.least).max(PLINKO_ROWS.most),
});

const PlinkoResult = object('PlinkoResult', {
  ...resultFields,
  results: z.array(z.number()).meta({ description: '0 for left and 1 for right, from the top row down' }),
});

const PlinkoConfig = object('PlinkoConfig', {
  ...limitFields,
  manualMs: z.number(),
  autoMs: z.number(),
});

export const plinko = defineSingleStepGame({
  slug: 'plinko',
  bet: { summary: 'Drop a ball through the rows', body: PlinkoBet, response: PlinkoResult },
  config: {
    summary: 'Get the limits of plinko and the delay between balls',
    response: PlinkoConfig,
  },
  step: ({ risk, rowsCount }) => ({
    inputs: { risk, rowsCount },
    risk: () => plinkoRisk({ risk, rowsCount }),
    play: ({ serverSeed, clientSeed }, nonce) =>
      playPlinko({ risk, rowsCount }, stream(serverSeed, clientSeed, nonce)),
    answer: (bet) => resultOf(bet),
  }),
});

const KenoBet = strictObject('KenoBet', {
  ...betFields,
  risk: z.enum(KENO_RISKS),
  selected: z
    .array(z.number().int().min(1).max(KENO_NUMBERS))
    .min(1)
    .max(KENO_MOST)
    .refine(areDifferent, 'needs different numbers'),
});

const KenoResult = object('KenoResult', {
  ...resultFields,
  results: z.array(z.number()).meta({ description: 'The numbers in the order in which they were drawn' }),
});

const MultipliersByRisk = z.record(z.string(), z.record(z.string(), z.array(z.number()))).meta({
  description:
    'Multipliers by risk, by count of selected numbers ("1" to "10"), and by number of hits, starting with 0',
});

const KenoConfig = object('KenoConfig', { ...limitFields, multipliers: MultipliersByRisk });

export const keno = defineSingleStepGame({
  slug: 'keno',
  bet: { summary: 'Bet on how many of your numbers are drawn', body: KenoBet, response: KenoResult },
  config: {
    summary: 'Get the limits and multipliers of keno',
    response: KenoConfig,
    read: ({ games }) => ({ ...games.config('keno'), multipliers: KENO_MULTIPLIERS }),
  },
  step: ({ risk, selected }) => ({
    inputs: { risk, selected },
    risk: () => kenoRisk({ risk, selected }),
    play: ({ serverSeed, clientSeed }, nonce) =>
      playKeno({ risk, selected }, stream(serverSeed, clientSeed, nonce)),
    answer: (bet) => resultOf(bet),
  }),
});

const RouletteEntry = z.strictObject({
  type: z.enum(ROULETTE_TYPES),
  numbers: z
    .array(z.number().int().min(0).max(36))
    .max(6)
    .optional()
    .meta({
      description:
        'The numbers in any order. For DOZEN and COLUMN one number: 1, 2 or 3. For RED, BLACK, ODD, EVEN, LOW and HIGH no numbers.',
      example: [1],
    }),
  amount: Amount.meta({ description: 'US dollars', example: '1.50' }),
});

const RouletteBetParams = z
  .strictObject({ bets: z.array(RouletteEntry).min(1).max(ROULETTE_MOST_ENTRIES) })
  .meta({ id: 'RouletteBetParams', description: 'betAmount is the sum of the amounts' });

const RouletteBet = strictObject('RouletteBet', { ...betFields, params: RouletteBetParams });

const RouletteResult = object('RouletteResult', { ...resultFields, randomPosition: z.number().int() });

const RouletteConfig = object('RouletteConfig', limitFields);

export const roulette = defineSingleStepGame({
  slug: 'roulette',
  bet: { summary: 'Bet on positions of the roulette table', body: RouletteBet, response: RouletteResult },
  config: { summary: 'Get the limits of roulette', response: RouletteConfig },
  step(body, _, { currencies }) {
    const { stakes, total } = stakesOf(body, usdDecimals(currencies.get(body.currencyId).decimals));
    return {
      inputs: body.params,
      risk: () => rouletteRisk(stakes, total),
      play: ({ serverSeed, clientSeed }, nonce) =>
        playRoulette(stakes, total, firstNumber(serverSeed, clientSeed, nonce)),
      answer: (bet) => resultOf(bet),
    };
  },
});

type RouletteBody = z.output<typeof RouletteBet>;

/** Returns the entries and their sum, which must equal the bet. Throws 400 VALIDATION_FAILED. */
function stakesOf(body: RouletteBody, decimals: number): { stakes: RouletteStake[]; total: Units } {
  const { betAmount, params } = body;
  // The amount is too large for a sum. The range check rejects it later.
  if (isTooMuch(betAmount, decimals)) return { stakes: [], total: 0n };
  const stakes = rouletteStakes(params.bets, decimals);
  if (!Array.isArray(stakes)) throw invalidField(`params.bets.${stakes.path}`, stakes.message);
  const total = totalOf(stakes);
  if (parseUnits(betAmount) !== total) throw invalidField('betAmount', 'needs to be the sum of the amounts');
  return { stakes, total };
}
