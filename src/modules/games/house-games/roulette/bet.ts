import { z } from 'zod';
import { Amount, object, strictObject } from '../../../../http/schemas.ts';
import { invalidField } from '../../../../platform/errors.ts';
import { isTooMuch, parseUnits, type Units } from '../../../../platform/money.ts';
import { resultOf } from '../../betting/play.ts';
import { usdDecimals } from '../../betting/rules.ts';
import { firstNumber } from '../../fairness/hash.ts';
import { defineSingleStepGame } from '../common.ts';
import { rouletteRisk } from '../risk/rules.ts';
import { betFields, limitFields, resultFields } from '../schemas.ts';
import {
  playRoulette,
  ROULETTE_MOST_ENTRIES,
  ROULETTE_TYPES,
  type RouletteStake,
  rouletteStakes,
  totalOf,
} from './rules.ts';

const RouletteEntry = z.strictObject({
  type: z.enum(ROULETTE_TYPES),
  numbers: z
    .array(z.number().int().min(0).max(36))
    .max(6)
    .optional()
    .meta({
      description: 'In any order: numbers of the wheel; 1, 2 or 3 for DOZEN and COLUMN; none for RED … HIGH',
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
  // Too large to add up; the range check rejects it.
  if (isTooMuch(betAmount, decimals)) return { stakes: [], total: 0n };
  const stakes = rouletteStakes(params.bets, decimals);
  if (!Array.isArray(stakes)) throw invalidField(`params.bets.${stakes.path}`, stakes.message);
  const total = totalOf(stakes);
  if (parseUnits(betAmount) !== total) throw invalidField('betAmount', 'needs to be the sum of the amounts');
  return { stakes, total };
}
