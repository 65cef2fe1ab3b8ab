import { z } from 'zod';
import { object, strictObject } from '../../../../http/schemas.ts';
import { resultOf } from '../../betting/play.ts';
import { stream } from '../../fairness/hash.ts';
import { defineSingleStepGame } from '../common.ts';
import { plinkoRisk } from '../risk/rules.ts';
import { betFields, limitFields, resultFields } from '../schemas.ts';
import { PLINKO_RISKS, PLINKO_ROWS, playPlinko } from './rules.ts';

const PlinkoBet = strictObject('PlinkoBet', {
  ...betFields,
  risk: z.enum(PLINKO_RISKS),
  rowsCount: z.number().int().min(PLINKO_ROWS.least).max(PLINKO_ROWS.most),
});

const PlinkoResult = object('PlinkoResult', {
  ...resultFields,
  results: z.array(z.number()).meta({ description: '0 left, 1 right, from the top row on' }),
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
