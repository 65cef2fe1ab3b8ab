export const declares = {
  about: 'signed notices of partners: stored, then worked off',
  tags: { Webhooks: 'Signed notices of payment, identity and skin partners.' },
} as const;
