import { errors } from '../../../platform/errors.ts';

export const casinoErrors = errors({
  GAME_NOT_FOUND: [404, 'There is no such game.'],
  PROVIDER_NOT_FOUND: [404, 'Game provider not found.'],
  COMMISSION_NOT_FOUND: [404, 'No commission rule exists for this provider, category and game.'],
  COMMISSION_EXISTS: [
    409,
    'A commission rule for this provider, category and game already exists. Change that rule.',
  ],
});
