export const declares = {
  about: 'temporary log levels',
  permissions: {
    'logger.read': 'View log levels',
    'logger.write': 'Change log levels temporarily',
  },
} as const;
