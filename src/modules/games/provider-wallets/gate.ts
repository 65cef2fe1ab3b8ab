import type { AppError } from '../../../platform/errors.ts';
import type { WalletStatus } from './call.ts';

/** What a refusal of the gate means to a provider. */
export const gateStatus = ({ code }: AppError): WalletStatus => {
  if (code === 'LIMIT_REACHED' || code === 'PROMO_MAX_BET') return 'LIMIT_EXCEEDED';
  return code === 'PLAY_STOPPED' ? 'GAME_UNAVAILABLE' : 'PLAYER_BLOCKED';
};
