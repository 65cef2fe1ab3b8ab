import { messages } from './messages.ts';

export const declares = {
  about: 'the CRM: what it asks about players, what it credits, the events that it is sent',
  tags: {
    'external-auth for a marketing integration': 'Who a session belongs to, for pages of the CRM.',
    'marketing integration': 'What the CRM reads of players and does for them, with a key of its own.',
  },
  kinds: { 'crm.funds': 'CRM_FUNDS' },
  messages,
} as const;
