export const declares = {
  about: 'the page before the site opens, and who wants to be told when it does',
  tags: { 'Coming Soon': 'The page before the site opens, and who wants to be told when it does.' },
} as const;
