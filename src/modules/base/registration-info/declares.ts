export const declares = {
  about: 'how and from where an account was opened',
  tags: {
    'Admin Registration Info': 'How and from where accounts were opened.',
    'Registration Info': 'How and from where accounts were opened.',
  },
} as const;
