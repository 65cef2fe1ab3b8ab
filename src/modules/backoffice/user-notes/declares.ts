export const declares = {
  about: 'what staff writes down about users',
  permissions: {
    'note.read': 'Read notes about users',
    'note.write': 'Write, change and delete notes about users',
  },
} as const;
