export const declares = {
  about: 'permissions, roles, who may manage whom',
  permissions: {
    'staff.read': 'See staff with their roles and permissions',
    'staff.write': 'Create staff accounts and grant permissions that you hold yourself',
  },
} as const;
