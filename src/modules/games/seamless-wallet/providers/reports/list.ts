import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../../../http/operation.ts';
import {
  countedPage,
  estimatedPage,
  PageNumber,
  SortOrder,
  take,
  text,
} from '../../../../../http/schemas.ts';
import type { Db } from '../../../../../platform/database/db.ts';
import { countUpTo } from '../../../../../platform/list/page.ts';
import { UserId } from '../../../../base/users/schemas.ts';
import { sightOf } from '../../../../base/users/service.ts';
import {
  FINDINGS,
  FindingKind,
  FindingStatus,
  ProviderFinding,
  selectFindings,
  viewFindings,
} from './findings.ts';

const FindingQuery = z.strictObject({
  id: z
    .string()
    .regex(/^\d{1,18}$/)
    .optional(),
  provider: text(100).optional(),
  kind: FindingKind.optional(),
  status: FindingStatus.optional(),
  userId: UserId.optional(),
  sortOrder: SortOrder.default('desc'),
  page: PageNumber,
  take: take(100),
});

export const listFindings = operation({
  method: 'GET',
  ...FINDINGS,
  access: { permission: 'casino.read' },
  summary: 'List findings about game providers',
  description:
    "Lists differences between providers' books and ours, and other provider issues that staff must handle. Only the first 10,000 " +
    'rows are counted and can be read.',
  query: FindingQuery,
  response: estimatedPage(ProviderFinding),
  async handler({ db }: { db: Db }, { by, query }) {
    const matching = matchingFindings(db, query);
    return countedPage(
      query,
      (most) => countUpTo(db, matching.select('f.id'), most),
      async ({ limit, offset }) => {
        const rows = await matching
          .selectAll('f')
          .select('p.slug')
          .orderBy('f.id', query.sortOrder)
          .limit(limit)
          .offset(offset)
          .execute();
        return viewFindings(db, rows, sightOf(by.user));
      },
    );
  },
});

const matchingFindings = (db: Db, { id, provider, kind, status, userId }: z.output<typeof FindingQuery>) =>
  selectFindings(db)
    .$if(id !== undefined, (q) => q.where('f.id', '=', BigInt(id!)))
    .$if(provider !== undefined, (q) => q.where(sql<string>`coalesce(f.partner, p.slug)`, '=', provider!))
    .$if(kind !== undefined, (q) => q.where('f.kind', '=', kind!))
    .$if(status !== undefined, (q) => q.where('f.status', '=', status!))
    .$if(userId !== undefined, (q) => q.where('f.user_id', '=', userId!));
