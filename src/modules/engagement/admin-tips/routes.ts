import { route } from '../../../http/route.ts';
import { listErrors } from '../../../platform/errors.ts';
import { ReceivedAdminTipPage, ReceivedAdminTipQuery } from './schemas.ts';
import type { AdminTips } from './service.ts';

export const adminTipRoutes = (tips: AdminTips) => [
  route({
    method: 'GET',
    path: '/admin-tips',
    tag: 'Admin Tips',
    access: 'auth',
    summary: 'Own tips from the house',
    description: 'The first 10,000 can be read in any order. `total` is exact up to 1,000.',
    query: ReceivedAdminTipQuery,
    response: ReceivedAdminTipPage,
    errors: [listErrors.PAGE_TOO_DEEP],
    handler: ({ user, query }) => tips.received(user.id, query),
  }),
];
