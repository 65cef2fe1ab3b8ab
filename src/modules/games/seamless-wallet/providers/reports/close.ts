import { z } from 'zod';
import { operation } from '../../../../../http/operation.ts';
import { strictObject } from '../../../../../http/schemas.ts';
import type { Db } from '../../../../../platform/database/db.ts';
import { SUSPENSE } from '../../../../money/ledger/rules.ts';
import { decideFinding, decision, decisionErrors, FINDINGS, findingErrors } from './findings.ts';

export const closeFinding = operation({
  ...decision,
  path: `${FINDINGS.path}/{id}/close`,
  access: { permission: 'casino.write' },
  gate: 'none',
  summary: 'Close a finding without booking anything',
  body: strictObject('FindingClosure', { reason: z.string().trim().min(1).max(500) }),
  errors: [findingErrors.FINDING_HOLDS_MONEY, ...decisionErrors],
  handler: ({ db }: { db: Db }, { by, params: { id }, body: { reason } }) =>
    decideFinding(
      db,
      { by, id, operation: 'finding.close', key: undefined, status: 'CLOSED', reason },
      async (_tx, { kind }) => {
        if (kind === SUSPENSE) throw findingErrors.FINDING_HOLDS_MONEY();
        return undefined;
      },
    ),
});
