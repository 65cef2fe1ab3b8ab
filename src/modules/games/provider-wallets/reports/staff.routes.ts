import { route } from '../../../../http/route.ts';
import { page } from '../../../../http/schemas.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { accessErrors } from '../../../base/access/errors.ts';
import { findingErrors } from './errors.ts';
import { FindingClosure, FindingPath, FindingQuery, ProviderFinding } from './schemas.ts';
import type { ProviderReports } from './service.ts';

const tag = 'Admin Casino';
const path = '/admin/casino/findings';
const deciding = {
  method: 'POST',
  tag,
  access: { permission: 'casino.write' },
  params: FindingPath,
  status: 200,
  response: ProviderFinding,
} as const;
const refusing = [
  findingErrors.FINDING_NOT_FOUND,
  findingErrors.FINDING_DECIDED,
  commonErrors.OWN_ACCOUNT,
  accessErrors.ACCOUNT_CONNECTED,
];

export const providerFindingStaffRoutes = (reports: ProviderReports) => [
  route({
    method: 'GET',
    path,
    tag,
    access: { permission: 'casino.read' },
    summary: "What differs between providers' books and ours, and what else of providers waits for staff",
    description: 'The total counts up to 10,000 and pages end there.',
    query: FindingQuery,
    response: page(ProviderFinding),
    handler: ({ by, query }) => reports.list(by, query),
  }),
  route({
    ...deciding,
    path: `${path}/{id}/apply`,
    gate: 'staff',
    idempotent: true,
    summary: 'Do what a finding asks for: book a transaction that only the provider has, under its own id',
    description:
      'Of findings MISSING_HERE; of SHORT_LIST it lets the next list of that length in. A transaction is booked as if the provider had called, without session and limits; a bet goes before the wins of its ' +
      'round, and one that the report does not tell from a free bet is not booked. Nobody does so for their own account.',
    errors: [findingErrors.FINDING_NOT_APPLICABLE, findingErrors.FINDING_MAY_BE_FREE, ...refusing],
    handler: ({ by, params, idempotencyKey }) => reports.apply(by, params.id, idempotencyKey),
  }),
  route({
    ...deciding,
    path: `${path}/{id}/close`,
    gate: 'none',
    summary: 'Close a finding without booking anything',
    body: FindingClosure,
    errors: refusing,
    handler: ({ by, params, body }) => reports.close(by, params.id, body),
  }),
];
