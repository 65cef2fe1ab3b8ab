import { errors } from '../../../platform/errors.ts';

export const faqErrors = errors({
  FAQ_NOT_FOUND: [404, 'Question not found. GET /faq lists all questions.'],
});

export const declares = {
  about: 'frequently asked questions and their answers',
  tags: {
    FAQ: 'Frequently asked questions. Staff edit them in the backoffice.',
    'Admin FAQ': 'Edit frequently asked questions.',
  },
  permissions: {
    'faq.read': 'View questions and answers in the backoffice',
    'faq.write': 'Add, edit, reorder and delete questions and answers',
  },
} as const;
