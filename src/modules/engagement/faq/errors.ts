import { errors } from '../../../platform/errors.ts';
export const faqErrors = errors({
  FAQ_NOT_FOUND: [404, 'Question not found. GET /faq lists all questions.'],
});
