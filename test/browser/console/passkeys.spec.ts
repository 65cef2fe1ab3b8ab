import { expect, test } from '../fixtures.ts';
import { alert, dialog } from '../parts.ts';
import { addAuthenticator, onLocalhost } from '../second-factors.ts';
import { newStaff } from '../users.ts';
import { enterPassword, menu } from './console.ts';

test.use({ baseURL: onLocalhost });

test('signs in with a passkey, alone and after a password, until it is removed', async ({
  page,
  platform,
}) => {
  const staff = await newStaff(platform, 'SUPPORT');
  const signOut = page.getByRole('button', { name: 'Sign out' });
  const signInWithPasskey = page.getByRole('button', { name: 'Sign in with a passkey' });
  await addAuthenticator(page);
  await page.goto('/console/');
  await enterPassword(page, staff);
  await expect(menu(page)).toBeAttached();
  await page.goto('/console/account');
  await page.getByLabel('What you call it').fill('Laptop');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('button', { name: 'I have kept them' }).click();
  await expect(page.getByRole('table', { name: 'Passkeys' }).getByText('Laptop').first()).toBeVisible();

  await signOut.click();
  await signInWithPasskey.click();
  await expect(menu(page)).toBeAttached();

  await signOut.click();
  await enterPassword(page, staff);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(menu(page)).toBeAttached();

  await page.goto('/console/account');
  await page.locator('summary', { hasText: 'Remove' }).click();
  const removal = page.locator('details', { hasText: 'Remove it' });
  await removal.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(removal.locator('input[name=mfaCode]')).not.toHaveValue('');
  await removal.getByRole('button', { name: 'Remove it' }).click();
  await dialog(page).getByRole('button', { name: 'Remove it' }).click();
  await expect(page.getByText('None yet.')).toBeVisible();
  await signOut.click();
  await signInWithPasskey.click();
  await expect(alert(page, 'does not work here')).toBeVisible();
});
