import { z } from 'zod';
import { object, strictObject } from '../../../../http/schemas.ts';
import { resultOf } from '../../betting/play.ts';
import { stream } from '../../fairness/hash.ts';
import { defineSingleStepGame } from '../common.ts';
import { kenoRisk } from '../risk/rules.ts';
import { betFields, limitFields, resultFields } from '../schemas.ts';
import { areDifferent, KENO_MOST, KENO_MULTIPLIERS, KENO_NUMBERS, KENO_RISKS, playKeno } from './rules.ts';

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
  results: z.array(z.number()).meta({ description: 'In order of drawing' }),
});

const MultipliersByRisk = z.record(z.string(), z.record(z.string(), z.array(z.number()))).meta({
  description: 'Risk, count of selected numbers ("1" to "10"), then multipliers by hits from 0 on',
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
