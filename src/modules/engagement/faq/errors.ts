import { errors } from '../../../platform/errors.ts';

export const faqErrors = errors({
  FAQ_NOT_FOUND: [404, 'No such question; GET /faq lists them.'],
});
