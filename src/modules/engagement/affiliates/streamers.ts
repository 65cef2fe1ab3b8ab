import { type RawBuilder, sql } from 'kysely';
import type { z } from 'zod';
import { type Page, paginated } from '../../../http/schemas.ts';
import { listErrors } from '../../../platform/errors.ts';
import { formatUnits } from '../../../platform/money.ts';
import type { Sight } from '../../base/users/service.ts';
import { describe, toAffiliate } from './lists.ts';
import type { StreamerList, StreamerRow } from './schemas.ts';
import type { ReadDeps } from './summary.ts';

type Request = z.output<typeof StreamerList>;

/** Streamers are few, so all of them are read and sorted. */
const MOST = 10_000;

const KEYS: Readonly<Record<Request['sortBy'], RawBuilder<unknown>>> = {
  createdAt: sql`u.created_at`,
  wageredUsdAmount: sql`coalesce(a.wagered_usd, 0)`,
  earnedUsdAmount: sql`coalesce(a.earned_usd, 0)`,
};

/** Streamers with what their referrals bring, whether they have a code or not. Throws 400 SORT_TOO_LONG. */
export const createStreamers =
  (deps: ReadDeps) =>
  async (request: Request, sight: Sight): Promise<Page<z.input<typeof StreamerRow>>> => {
    const { sortBy, sortOrder, page, take } = request;
    const way = sortOrder === 'desc' ? sql`desc` : sql`asc`;
    const offset = Math.min((page - 1) * take, MOST);
    const { rows } = await sql<{ total: number; ids: number[] }>`
      with streamers as materialized (
        select u.id, ${KEYS[sortBy]} as key from users u left join affiliates a on a.user_id = u.id
        where u.is_streamer limit ${sql.lit(MOST + 1)}
      )
      select (select count(*)::int from streamers) as total,
        array(select id from streamers order by key ${way}, id ${way} limit ${take} offset ${offset}) as ids`.execute(
      deps.db,
    );
    const { total, ids } = rows[0]!;
    if (total > MOST) throw listErrors.SORT_TOO_LONG({ most: MOST });
    const shown = (await describe(deps, ids, sight)).map(({ account, codes, user }) => ({
      ...toAffiliate(account),
      user,
      codes,
      ftdCount: account.depositorCount,
      depositedUsdAmount: formatUnits(account.depositedUsd),
      ggrUsdAmount: formatUnits(account.ggrUsd),
    }));
    return paginated(shown, request, total);
  };
