export const declares = {
  about: 'accounts, profile, avatars, what others see of a user',
  tags: { User: 'Profiles, settings and statistics. In the backoffice: users, staff, roles and rights.' },
} as const;
