export const declares = {
  about: 'signed webhooks of partners, stored before they are processed',
  tags: { Webhooks: 'Signed webhooks of payment, identity and skin partners.' },
} as const;
