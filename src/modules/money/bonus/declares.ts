import { messages } from './messages.ts';

export const declares = {
  about: 'what players were granted: money at once, or a bonus that is wagered',
  kinds: { 'promo.grant': 'PROMO_GRANT' },
  messages,
} as const;
