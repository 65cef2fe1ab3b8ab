export const declares = {
  about: 'what staff did and tried, as a chain of hashes',
  permissions: { 'audit.read': 'Read what staff did' },
} as const;
