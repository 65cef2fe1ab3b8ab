export const declares = {
  about: 'the broker by hand, for development',
  tags: { 'queue debug': 'The message broker by hand, for development.' },
} as const;
