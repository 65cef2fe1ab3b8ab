import { defineModule } from '../../../http/module.ts';
import {
  createFaq,
  createFaqCache,
  deleteFaq,
  deleteFaqInBackoffice,
  type FaqDeps,
  listFaq,
  listFaqForStaff,
  updateFaq,
} from './questions.ts';

export const faq = defineModule({
  name: 'faq',
  tags: {
    FAQ: 'Frequently asked questions. Staff edit them in the backoffice.',
    'Admin FAQ': 'Edit frequently asked questions.',
  },
  create: (before: Parameters<typeof createFaqCache>[0]) => ({ faq: createFaqCache(before) }),
  operations: [listFaq, createFaq, updateFaq, deleteFaq],
  backoffice: {
    operations: [listFaqForStaff, createFaq, updateFaq, deleteFaqInBackoffice],
    without: '/admin',
    tag: 'FAQ',
  },
  start: ({ faq }: FaqDeps) => faq.start(),
  close: ({ faq }) => faq.close(),
});
