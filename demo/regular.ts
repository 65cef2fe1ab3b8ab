import sharp from 'sharp';
import type { Person } from './names.ts';
import type { Player } from './player.ts';
import type { Staff } from './staff.ts';

/** The player whose credentials are printed. The player has a month of history, so that every screen of the lobby has content. */
export const REGULAR = {
  username: 'demo_player',
  email: 'demo.player@mail.example',
  ip: '91.0.250.7',
  country: 'DE',
  language: 'en',
} as const satisfies Person;

export const isRegular = ({ username }: { username: string }): boolean => username === REGULAR.username;

type Chapter = { share: number; what: () => Promise<unknown> };

/**
 * Returns actions that most players perform occasionally, each at a different time in the month. `share` is the fraction of the month that
 * has passed.
 */
export function chaptersOf(
  find: () => Player | undefined,
  { staff, other }: { staff: Staff; other: () => Player | undefined },
): Chapter[] {
  const own = (what: (player: Player) => Promise<unknown>) => async () => {
    const player = find();
    return player && what(player);
  };
  const favourites = ['dice', 'plinko', 'mines'].map((slug, i) => ({
    share: 0.03 + i * 0.02,
    what: own((player) => player.try('POST /casino/games/favorite/{slug}', { path: { slug } })),
  }));
  return [
    ...favourites,
    { share: 0.04, what: own(paintAvatar) },
    {
      share: 0.06,
      what: own((player) =>
        player.try('POST /user-limits/gambling-limits', {
          body: { type: 'DEPOSIT', period: 'WEEK', amount: '2000' },
        }),
      ),
    },
    {
      share: 0.15,
      what: own((player) =>
        player.try('POST /accounting/to-vault', { body: { currencyId: 'USDT', amount: '15' } }),
      ),
    },
    {
      share: 0.35,
      what: own(async (player) => {
        const recipientUsername = other()?.username;
        return recipientUsername && tip(player, recipientUsername);
      }),
    },
    { share: 0.4, what: async () => other()?.try && tip(other()!, REGULAR.username) },
    {
      share: 0.45,
      what: own(({ id }) =>
        staff.SUPERADMIN.try('POST /admin/admin-tips', {
          body: {
            recipientUserId: id,
            currencyId: 'USDT',
            amount: '20',
            notes: 'Goodwill after a slow withdrawal',
            tag: 'support',
          },
        }),
      ),
    },
    { share: 0.5, what: own((player) => becomeVip(player, staff)) },
    ...(['daily', 'weekly'] as const).map((period, i) => ({
      share: 0.6 + i * 0.2,
      what: own((player) => player.try('POST /rakeback/claim', { body: { period } })),
    })),
  ];
}

/** Applies for a VIP level with the turnover on another platform, which staff approve. */
async function becomeVip(player: Player, { SUPERADMIN: boss, second }: Staff): Promise<void> {
  const made = await player.try('POST /vip-application', {
    body: {
      platformName: 'Blue Comet',
      platformUsername: player.username,
      totalWageredUsd: '60000',
      rank: 'Gold',
      contactMethod: 'EMAIL',
      contactUsername: player.email,
      country: player.country,
      note: 'Happy to show statements.',
    },
  });
  if (!made) return;
  const path = { id: made.id };
  await boss.try('PATCH /admin/vip-application/{id}', { path, body: { status: 'IN_REVIEW' } });
  const body = { approve: true, reason: 'The statements fit', vipLevel: 2 };
  // The welcome to a level may need a second approver. If it does not, the second decision is rejected.
  for (const one of [boss, second])
    await one.try('POST /admin/vip-application/{id}/decision', { path, body });
}

const tip = (from: Player, recipientUsername: string) =>
  from.try('POST /user-tips', {
    body: { recipientUsername, currencyId: 'USDT', amount: '3', isPublic: true },
  });

const COLOURS = ['2f6f8f', '8f4a2f', '4a8f2f', '6b2f8f', '8f7a2f'] as const;
const LIGHT = 0xd5dde3;

const isIn = (x: number, y: number, radiusX: number, radiusY: number) =>
  (x / radiusX) ** 2 + (y / radiusY) ** 2 <= 1;
/** Returns true for pixels that belong to a head or to the shoulders below it. */
const isFace = (x: number, y: number) => isIn(x - 64, y - 54, 26, 26) || isIn(x - 64, y - 118, 46, 34);

const SIZE = 128;

/**
 * Uploads a plain silhouette on a background in the player's colour. Draws pixels, because the API in this process blocks all SVG decoders.
 */
export async function paintAvatar(player: Player): Promise<unknown> {
  const background = Number.parseInt(COLOURS[player.id % COLOURS.length]!, 16);
  const pixels = Buffer.alloc(SIZE * SIZE * 3);
  for (let y = 0; y < SIZE; y++)
    for (let x = 0; x < SIZE; x++) {
      const colour = isFace(x, y) ? LIGHT : background;
      pixels.writeUIntBE(colour, (y * SIZE + x) * 3, 3);
    }
  const image = await sharp(pixels, { raw: { width: SIZE, height: SIZE, channels: 3 } })
    .png()
    .toBuffer();
  return player.try('PATCH /user/me', {
    body: {},
    form: { image: new Blob([new Uint8Array(image)], { type: 'image/png' }) },
  });
}
