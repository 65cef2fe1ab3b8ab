import { singleStepRoutes } from '../routes.ts';
import { DiceBet, DiceConfig, DiceResult } from './schemas.ts';
import type { Dice } from './service.ts';

export const diceRoutes = (dice: Dice) =>
  singleStepRoutes({
    slug: 'dice',
    game: dice,
    bet: {
      summary: 'Bet that the roll lies above or below a threshold',
      body: DiceBet,
      response: DiceResult,
    },
    config: { summary: 'Limits and return of dice', response: DiceConfig },
  });
