export const declares = {
  about: 'user administration: lists, edits, bans, balances and erasure',
  tags: { 'Admin User': 'Users, staff, roles, permissions, bans, notes, balances and the audit log.' },
  permissions: {
    'user.read': 'View users, their profiles, statistics and balances',
    'user.write': 'Edit users and reset their avatars',
    'user.ban': 'Ban users',
    'user.resetMfa': 'Remove the second factor of users who lost it',
    'user.pii': 'View full email and IP addresses',
  },
  kinds: {
    'admin.adjustment': 'ADMIN_ADJUSTMENT',
  },
} as const;
