export const declares = {
  about: "staff's list of users, edits, bans, balances",
  tags: { 'Admin User': 'Users, staff, roles, rights, bans, notes, balances and the audit.' },
  permissions: {
    'user.read': 'See users, their profile, statistics and balances',
    'user.write': 'Edit users and reset their avatars',
    'user.ban': 'Ban users',
    'user.resetMfa': 'Remove the second factor of users who have lost it',
    'user.pii': 'See e-mail addresses and IP addresses in full',
  },
  kinds: {
    'admin.adjustment': 'ADMIN_ADJUSTMENT',
  },
} as const;
