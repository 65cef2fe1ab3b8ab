import sharp from 'sharp';
import type { Call } from './users.ts';

/** Returns a picture for a field that takes a file. */
export const picture = async () => ({ name: 'picture.png', mimeType: 'image/png', buffer: await png() });

const png = (): Promise<Buffer> =>
  sharp({ create: { width: 640, height: 400, channels: 3, background: '#2f6f9f' } })
    .png()
    .toBuffer();

/** Applies for a VIP level, with an image. Returns the id of the application. */
export async function applyForVip(player: Call): Promise<string> {
  const { id } = await player('POST', '/vip-application', {
    platformName: 'Another casino',
    platformUsername: 'highroller',
    totalWageredUsd: '250000',
    rank: 'Platinum',
    contactMethod: 'TELEGRAM',
    contactUsername: '@highroller',
    note: 'I play every day and would like a host.',
  });
  const image = new FormData();
  image.append('image', new Blob([new Uint8Array(await png())], { type: 'image/png' }), 'proof.png');
  await player('POST', `/vip-application/${id}/image`, image);
  return id;
}
