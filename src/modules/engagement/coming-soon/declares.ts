export const declares = {
  about: 'the page shown before the launch, and its email list',
  tags: { 'Coming Soon': 'The page shown before the launch, and its email list.' },
} as const;
