export const declares = {
  about: 'staff notes about users',
  permissions: {
    'note.read': 'View notes about users',
    'note.write': 'Write, edit and delete notes about users',
  },
} as const;
