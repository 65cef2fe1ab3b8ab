import { messages } from './messages.ts';

export const declares = {
  about: 'money that staff gives players, and cash that it takes from them',
  tags: { 'Admin Tips': 'Money that staff gives players and takes from them; own tips from the house.' },
  permissions: {
    'tip.read': 'See what staff has given players and taken from them',
    'tip.pay': 'Give players money and take cash from them',
  },
  messages,
  kinds: { 'admin.tip': 'ADMIN_TIP', 'admin.deduction': 'ADMIN_DEDUCTION' },
} as const;
