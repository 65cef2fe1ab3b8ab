import { messages } from './messages.ts';

export const declares = {
  about: 'players who are VIPs elsewhere apply for a level here',
  tags: {
    VipApplication: 'Applications for a VIP level by what was played elsewhere.',
    VipApplicationAdmin: 'Review of these applications, and decisions.',
  },
  permissions: {
    'vip.read': 'See VIP applications with their images, and statistics and risk notes of who applies',
    'vip.approve': 'Work on VIP applications and decide about them',
  },
  messages,
} as const;
