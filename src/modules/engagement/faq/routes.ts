import { z } from 'zod';
import { route } from '../../../http/route.ts';
import { Faq } from './schemas.ts';
import type { FaqService } from './service.ts';

export const faqRoutes = (faq: FaqService) => [
  route({
    method: 'GET',
    path: '/faq',
    tag: 'FAQ',
    access: 'anonymous',
    summary: 'Questions that players often ask, and their answers, in their order',
    response: z.array(Faq),
    handler: () => faq.list(),
  }),
];
