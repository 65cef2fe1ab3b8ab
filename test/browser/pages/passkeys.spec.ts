/** Passkeys on the site of the sandbox. */
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { addAuthenticator, localhost, verifyUser } from '../second-factors.ts';
import { newAccount } from '../users.ts';

test.use({ baseURL: ({ platform }, use) => use(localhost(platform.sandbox)) });

const site = (page: Page) => ({
  user: page.locator('#who'),
  error: page.locator('#error'),
  signInWithPasskey: page.locator('#sign-in-passkey'),
  addPasskey: page.locator('#add-passkey'),
});

async function signOut(page: Page): Promise<void> {
  await page.goto('/site/');
  await page.locator('#sign-out').click();
  await expect(site(page).user).toContainText('nobody');
}

test('signs in with a passkey alone, and requires it after a password', async ({ page }) => {
  const { user, error, signInWithPasskey, addPasskey } = site(page);
  const { session, authenticatorId } = await addAuthenticator(page);
  const { username, email, password } = newAccount();
  await page.goto('/site/');
  await page.locator('#sign-up-username').fill(username);
  await page.locator('#sign-up-email').fill(email);
  await page.locator('#sign-up-password').fill(password);
  await page.locator('#sign-up').click();
  await expect(user).toContainText(username);

  await addPasskey.click();
  await expect(page.locator('#passkeys')).toContainText('This browser');
  await expect(page.locator('#recovery-codes')).toContainText('Keep these recovery codes');
  const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId });
  expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: 'localhost' }]);
  await addPasskey.click();
  await expect(error, 'the authenticator already has a passkey').toContainText('InvalidStateError');

  await signOut(page);
  await signInWithPasskey.click();
  await expect(user).toContainText(username);
  expect(JSON.parse(await page.locator('#me').innerText()).mfaEnabled).toBe(true);

  await signOut(page);
  await page.locator('#sign-in-email').fill(email);
  await page.locator('#sign-in-password').fill(password);
  await page.locator('#sign-in').click();
  await page.waitForURL(/\/site\/auth/);
  await page.locator('#use-passkey').click();
  await expect(user).toContainText(username);

  await signOut(page);
  await verifyUser({ session, authenticatorId }, false);
  await signInWithPasskey.click();
  await expect(error, 'a passkey without user verification').toContainText('NotAllowedError');
  await verifyUser({ session, authenticatorId }, true);
  await signInWithPasskey.click();
  await expect(user).toContainText(username);
});
