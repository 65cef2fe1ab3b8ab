export const declares = {
  about: 'questions that players often ask, and their answers',
  tags: {
    FAQ: 'Questions that players often ask. In the backoffice: what staff answers them.',
    'Admin FAQ': 'What staff answers questions that players often ask.',
  },
  permissions: {
    'faq.read': 'See the questions and answers in the backoffice',
    'faq.write': 'Write, order and remove questions and answers',
  },
} as const;
