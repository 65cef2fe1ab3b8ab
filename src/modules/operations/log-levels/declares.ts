export const declares = {
  about: 'what is logged, for a while',
  permissions: {
    'logger.read': 'See the log level',
    'logger.write': 'Change the log level for a while',
  },
} as const;
