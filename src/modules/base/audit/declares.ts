export const declares = {
  about: 'the audit log of staff calls, as a chain of hashes',
  permissions: { 'audit.read': 'Read the audit log' },
} as const;
