import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import type { DbOrTx } from '../../../platform/database/db.ts';
import { type Sight, shortUsers } from '../../base/users/service.ts';
import { startRequestsOf } from './approval.ts';
import type { PromoRow, PromoServices } from './queries.ts';
import type { PromoAdmin } from './schemas.ts';
import { toPromoAdmin } from './view.ts';

type Shown = z.input<typeof PromoAdmin>;

/** Converts promotions to the view for staff, with the open request to start each of them and the names of their games. */
export async function showPromos(
  db: DbOrTx,
  { catalogue }: Pick<PromoServices, 'catalogue'>,
  promos: readonly PromoRow[],
  sight: Sight,
): Promise<Shown[]> {
  const requests = await startRequestsOf(db, promos);
  const askers = [...requests.values()].map(({ actorId }) => actorId);
  const users = await shortUsers(db, [...promos.map((promo) => promo.created_by), ...askers], sight);
  const { bySlug } = catalogue.state.now();
  return promos.map((promo) => {
    const request = requests.get(String(promo.id));
    const names = slugsIn(promo).flatMap((slug) => {
      const name = bySlug.get(slug)?.name;
      return name === undefined ? [] : [[slug, name] as const];
    });
    return {
      ...toPromoAdmin(promo, users),
      isApproved: promo.open_usd === null,
      startRequest: request
        ? {
            by: users.get(request.actorId) ?? null,
            reason: request.reason,
            createdAt: iso(request.at),
            expiresAt: iso(request.expiresAt),
          }
        : null,
      gameNames: Object.fromEntries(names),
    };
  });
}

const slugsIn = ({ game_slug, games }: PromoRow): string[] => [
  ...(game_slug === null ? [] : [game_slug]),
  ...(games.gameSlugs ?? []),
  ...Object.keys(games.perGame ?? {}),
];
