import { sql } from 'kysely';
import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { emitEvent } from '../../base/events/service.ts';
import type { CountryDeps } from './deps.ts';
import { countryErrors } from './errors.ts';
import { COUNTRY_COLUMNS } from './queries.ts';
import { Country } from './schemas.ts';
import { CHANNEL } from './service.ts';

const CountryCode = z
  .string()
  .regex(/^[A-Z]{2}$/, 'must be a code of two capital letters such as DE')
  .meta({ example: 'DE' });

export const blockCountry = operation({
  method: 'PATCH',
  path: '/admin/country/{code}',
  tag: 'Admin Country',
  access: { permission: 'country.write' },
  gate: 'none',
  summary: 'Block or unblock a country',
  description: 'Takes effect in every process within a second.',
  params: z.object({ code: CountryCode }),
  body: z.strictObject({ isBlocked: z.boolean() }),
  response: Country,
  errors: [countryErrors.COUNTRY_NOT_FOUND],
  handler: async ({ db, countries }: CountryDeps, { by, params: { code }, body: { isBlocked } }) => {
    const row = await transaction(db, (tx) => setBlocked(tx, by, { code, isBlocked }));
    await countries.reload();
    return row;
  },
});

async function setBlocked(
  tx: Tx,
  by: StaffCall,
  { code, isBlocked }: { code: string; isBlocked: boolean },
): Promise<z.input<typeof Country>> {
  const before = await tx
    .selectFrom('countries')
    .select(COUNTRY_COLUMNS)
    .where('code', '=', code)
    .forUpdate()
    .executeTakeFirst();
  await freshActor(tx, by);
  if (!before) throw countryErrors.COUNTRY_NOT_FOUND({ code });
  await tx
    .updateTable('countries')
    .set({ is_blocked: isBlocked, updated_at: sql<Date>`now()` })
    .where('code', '=', code)
    .execute();
  await sql`select pg_notify(${CHANNEL}, ${code})`.execute(tx);
  if (before.isBlocked !== isBlocked)
    await emitEvent(tx, { event: 'config.changed', data: { code: 'COUNTRIES' } });
  await recordAudit(tx, by, { before: { isBlocked: before.isBlocked }, after: { isBlocked } });
  return { ...before, isBlocked };
}
