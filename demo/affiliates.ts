import type { Happening } from './month.ts';
import type { Player } from './player.ts';
import type { Staff } from './staff.ts';

/** The share of the house edge that is the basis for commission, by category. The console shows these values next to the defaults. */
const COMMISSION = [
  ['SLOTS', '3.5'],
  ['CRASH', '2'],
] as const;

/**
 * Adds commission rules for the first providers in the catalogue. Two staff members send each rule, because a rule needs a second approver.
 */
export async function setUpCommission({ SUPERADMIN: boss, second }: Staff): Promise<void> {
  const { data } = await boss.call('GET /admin/casino/games/providers', { query: { take: 10 } });
  for (const { id } of data.filter(({ slug }) => slug !== 'house').slice(0, 2))
    for (const [category, ggrPercent] of COMMISSION)
      for (const one of [boss, second])
        await one.try('PUT /admin/casino/games/commission', {
          body: { providerId: id, category, gameId: null, ggrPercent, payload: null },
        });
}

/** Returns the affiliates' events. Two of the affiliates become streamers, and all of them claim their commission late in the month. */
export function affiliatesMonth(
  affiliates: () => readonly Player[],
  { staff, at }: { staff: Staff; at: (share: number) => number },
): Happening[] {
  return [
    {
      at: at(0.3),
      what: async () => {
        for (const { id } of affiliates().slice(1, 3))
          await staff.SUPERADMIN.try('PATCH /admin/user/{id}', { path: { id }, body: { isStreamer: true } });
      },
    },
    {
      at: at(0.92),
      what: async () => {
        for (const player of affiliates()) await player.try('POST /affiliate/claim', { body: {} });
      },
    },
  ];
}
