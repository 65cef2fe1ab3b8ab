import { expect, test } from '../fixtures.ts';
import { alert, dialog } from '../parts.ts';
import { addAuthenticator, onLocalhost } from '../second-factors.ts';
import { newStaff } from '../users.ts';
import { enterPassword, menu, signOut } from './console.ts';

test.use({ baseURL: onLocalhost });

test('signs in with a passkey, alone and after a password, until it is removed', async ({
  page,
  platform,
}) => {
  const staff = await newStaff(platform, 'SUPPORT');
  const signInWithPasskey = page.getByRole('button', { name: 'Sign in with a passkey' });
  await addAuthenticator(page);
  await page.goto('/console/');
  await enterPassword(page, staff);
  await expect(menu(page)).toBeAttached();
  await page.goto('/console/account');
  await page.getByLabel('Name', { exact: true }).fill('Laptop');
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByRole('button', { name: 'I’ve saved my codes' }).click();
  await expect(page.getByRole('table', { name: 'Passkeys' }).getByText('Laptop').first()).toBeVisible();

  await signOut(page);
  await signInWithPasskey.click();
  await expect(menu(page)).toBeAttached();

  await signOut(page);
  await enterPassword(page, staff);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(menu(page)).toBeAttached();

  await page.goto('/console/account');
  await page.locator('summary', { hasText: 'Remove' }).click();
  const removal = page.locator('details', { hasText: 'Remove passkey' });
  await removal.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(removal.locator('input[name=mfaCode]')).not.toHaveValue('');
  await removal.getByRole('button', { name: 'Remove passkey' }).click();
  await dialog(page).getByRole('button', { name: 'Remove passkey' }).click();
  await expect(page.getByText('No passkeys yet')).toBeVisible();
  await signOut(page);
  await signInWithPasskey.click();
  await expect(alert(page, 'does not work here')).toBeVisible();
});
