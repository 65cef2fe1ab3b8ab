import { z } from 'zod';
import { route } from '../../../http/route.ts';
import { SuccessResponse } from '../../../http/schemas.ts';
import { faqErrors } from './errors.ts';
import { Faq, FaqChange, FaqRemoval, NewFaq } from './schemas.ts';
import type { FaqService } from './service.ts';

const { FAQ_NOT_FOUND } = faqErrors;
const write = { access: { permission: 'faq.write' }, gate: 'none' } as const;

const changes = (faq: FaqService, at: { path: string; tag: string }) => [
  route({
    ...write,
    ...at,
    method: 'POST',
    summary: 'Add a question, after all others',
    body: NewFaq,
    status: 201,
    response: Faq,
    handler: ({ by, body }) => faq.add(by, body),
  }),
  route({
    ...write,
    ...at,
    method: 'PUT',
    summary: 'Change a question, its answer or its place; what is not named stays',
    description: 'Of the same order the one that was written first comes first.',
    body: FaqChange,
    response: Faq,
    errors: [FAQ_NOT_FOUND],
    handler: ({ by, body }) => faq.change(by, body),
  }),
];

const removal = {
  ...write,
  method: 'DELETE',
  summary: 'Remove a question',
  body: FaqRemoval,
  errors: [FAQ_NOT_FOUND],
} as const;

export function faqStaffRoutes(faq: FaqService) {
  const at = { path: '/admin/faq', tag: 'Admin FAQ' };
  return [
    ...changes(faq, at),
    route({ ...removal, ...at, handler: ({ by, body }) => faq.remove(by, body.id) }),
  ];
}

export function faqBackofficeRoutes(faq: FaqService) {
  const at = { path: '/faq', tag: 'FAQ' };
  return [
    route({
      ...at,
      method: 'GET',
      access: { permission: 'faq.read' },
      summary: 'Questions and answers in their order',
      response: z.array(Faq),
      handler: () => faq.list(),
    }),
    ...changes(faq, at),
    route({
      ...removal,
      ...at,
      response: SuccessResponse,
      async handler({ by, body }) {
        await faq.remove(by, body.id);
        return { success: true };
      },
    }),
  ];
}
