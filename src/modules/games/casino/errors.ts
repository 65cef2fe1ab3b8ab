import { errors } from '../../../platform/errors.ts';

export const casinoErrors = errors({
  GAME_NOT_FOUND: [404, 'There is no such game.'],
  PROVIDER_NOT_FOUND: [404, 'There is no such provider of games.'],
});
