export const declares = {
  about: 'permissions, roles, who may manage whom',
  permissions: {
    'staff.read': 'See who is staff, with which roles and permissions',
    'staff.write': 'Make staff accounts and grant the permissions one holds oneself',
  },
} as const;
