export const declares = {
  about: 'a part of the house edge that comes back to players, by the period in which it can be claimed',
  tags: {
    Rakeback: 'A part of the house edge that comes back. In the backoffice: that of players.',
    'Admin Rakeback': 'Rakeback of players.',
  },
  permissions: { 'rakeback.read': 'See the rakeback of players' },
  kinds: { 'rakeback.claim': 'RAKEBACK' },
} as const;
