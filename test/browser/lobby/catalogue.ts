/** The catalogue of games. */
import { expect, type FrameLocator, type Page } from '@playwright/test';

export const gameFrame = (page: Page): FrameLocator => page.frameLocator('iframe.frame');

/** Searches for a slot of the sandbox, and launches it. Returns its frame. */
export async function openSlot(page: Page): Promise<FrameLocator> {
  const catalogue = page.locator('.catalogue');
  await page.goto('/play/games');
  await catalogue.locator('input').first().fill('Seven Orchards');
  await page.keyboard.press('Enter');
  await catalogue.locator('.tile').filter({ hasText: 'Sandbox' }).first().click();
  await page.getByRole('button', { name: 'Play with USDT' }).click();
  await expect(gameFrame(page).locator('#spin')).toBeEnabled();
  return gameFrame(page);
}
