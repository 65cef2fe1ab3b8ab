import { route } from '../../../http/route.ts';
import { page } from '../../../http/schemas.ts';
import { AdminLog, AuditQuery } from './schemas.ts';
import type { Audit } from './service.ts';

export const auditStaffRoutes = (audit: Audit) => [
  route({
    method: 'GET',
    path: '/admin/user/admin-audit',
    tag: 'Admin User',
    access: { permission: 'audit.read' },
    summary: 'What staff did and tried, newest first',
    description:
      'Every call of a route for staff, refused ones too. With `reqType` or `userId` the total counts up to 10,000 and pages end there. Of a GET `requestBody` is the query. Without the permission `user.pii` e-mail and IP addresses are masked, without `note.read` calls about notes show neither bodies nor `before` and `after`.',
    query: AuditQuery,
    response: page(AdminLog),
    handler: ({ query, by }) => audit.list(query, by.user),
  }),
];
