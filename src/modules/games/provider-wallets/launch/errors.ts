import { errors } from '../../../../platform/errors.ts';

export const launchErrors = errors({
  GAME_NOT_FOUND: [404, 'There is no such game.'],
  GAME_NOT_LAUNCHABLE: [409, 'This game is not launched: it is played by its own operations.'],
  CURRENCY_REQUIRED: [400, 'Say in which currency to play (currencyId), or launch the demo.'],
  CURRENCY_NOT_SUPPORTED: [409, 'This game cannot be played in this currency; see details.currencies.'],
  DEMO_NOT_AVAILABLE: [409, 'This game has no demo.'],
  PROVIDER_UNAVAILABLE: [502, 'The provider of this game does not answer; try again in a moment.'],
});
