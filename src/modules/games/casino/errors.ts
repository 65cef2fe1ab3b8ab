import { errors } from '../../../platform/errors.ts';

export const casinoErrors = errors({
  GAME_NOT_FOUND: [404, 'There is no such game.'],
  PROVIDER_NOT_FOUND: [404, 'There is no such provider of games.'],
  COMMISSION_NOT_FOUND: [404, 'There is no commission rule for this provider, category and game.'],
  COMMISSION_EXISTS: [409, 'There is a commission rule for this provider, category and game; change it.'],
});
