/** The catalogue of games. */
import { expect, type FrameLocator, type Locator, type Page } from '@playwright/test';

export const gameFrame = (page: Page): FrameLocator => page.frameLocator('iframe.frame');

/** The tile of a game. Its name also contains the provider and the RTP. */
export const tile = (page: Page, name: string): Locator =>
  page
    .getByRole('main')
    .getByRole('link', { name: new RegExp(`^${name}( |$)`) })
    .first();

/** Searches for a slot of the sandbox, and launches it. Returns its frame. */
export async function openSlot(page: Page): Promise<FrameLocator> {
  await page.goto('/play/casino/all?name=Seven+Orchards');
  await tile(page, 'Seven Orchards').click();
  await page.getByRole('button', { name: 'Play with USDT' }).click();
  await expect(gameFrame(page).locator('#spin')).toBeEnabled();
  return gameFrame(page);
}
