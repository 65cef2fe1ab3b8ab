import { errors } from '../../../platform/errors.ts';

export const houseGameErrors = errors({
  GAME_NOT_FOUND: [404, 'There is no such game.'],
});
