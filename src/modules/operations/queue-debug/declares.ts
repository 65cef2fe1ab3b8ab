export const declares = {
  about: 'manual access to the broker, for development',
  tags: { 'queue debug': 'Manual access to the message broker, for development.' },
} as const;
