import { randomInt } from 'node:crypto';
import type { Page } from '@playwright/test';
import { picture } from '../files.ts';
import { expect, test } from '../fixtures.ts';
import { alert, dialog, expectLoaded, notice } from '../parts.ts';
import { addAuthenticator, codeOf, onLocalhost } from '../second-factors.ts';
import { callFrom, newAccount, newPlayer } from '../users.ts';
import {
  enterPassword,
  fillSignIn,
  fillSignUp,
  header,
  mailedLink,
  signIn,
  signOut,
  signUp,
} from './lobby.ts';

/** An entry of the lists on the pages Security and Devices. */
const setting = (page: Page, title: string | RegExp) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 3, name: title }) });

test('shows the problems of a sign-up at the fields, in the language of the page', async ({ page }) => {
  await page.addInitScript(`localStorage.setItem('language', 'de')`);
  await page.goto('/play/sign-up');
  const form = dialog(page);
  await form.getByLabel('Benutzername').fill('ab');
  await form.getByLabel('E-Mail', { exact: true }).fill('nobody');
  await form.getByRole('button', { name: 'Konto erstellen' }).click();
  await expect(form.getByLabel('E-Mail', { exact: true })).toBeFocused();
  await expect(form.getByText('Geben Sie eine E-Mail-Adresse ein')).toBeVisible();
  await expect(form.getByLabel('Benutzername')).toHaveAccessibleDescription('Mindestens 3 Zeichen');
  await expect(form.getByText('Setzen Sie das Häkchen')).toBeVisible();
  await form.getByLabel('Passwort', { exact: true }).fill('a long password 1');
  await expect(form.getByRole('meter', { name: 'Passwortstärke' })).toHaveAttribute(
    'aria-valuetext',
    /Gut|Stark/,
  );
  await form.getByRole('button', { name: 'Passwort anzeigen' }).click();
  await expect(form.getByLabel('Passwort', { exact: true })).toHaveAttribute('type', 'text');
});

test('marks email and username if one of them is taken', async ({ page, platform }) => {
  const { email, username } = await newPlayer(platform);
  await page.goto('/play/sign-up');
  await fillSignUp(page, { ...newAccount(), username, email });
  const [first, second] = [page.getByLabel('Email', { exact: true }), page.getByLabel('Username')];
  await expect(first).toBeFocused();
  for (const field of [first, second]) {
    await expect(field).toHaveAttribute('aria-invalid', 'true');
    await expect(field).toHaveAccessibleDescription('This email or username is already taken.');
  }
});

test('verifies the email address, stores a picture, and signs out another device', async ({
  page,
  openPage,
  platform,
}) => {
  const call = callFrom(page, platform.api);
  const account = await signUp(page);
  await page.goto(await mailedLink(platform, account.email, 'verify-email'));
  await expect(notice(page, 'Your email is verified')).toBeVisible();
  expect(new URL(page.url()).hash, 'the token is removed from the address').toBe('');
  await page.goto('/play/profile');
  expect(await call('GET', '/user/me')).toMatchObject({ emailVerified: true });
  await page
    .getByLabel('Change picture')
    .first()
    .setInputFiles(await picture());
  await expect(notice(page, 'Picture saved')).toBeVisible();
  await expectLoaded(page.locator('main img.avatar'));
  await page.getByRole('switch', { name: 'Hide my name' }).click();
  await expect.poll(() => call('GET', '/user/me')).toMatchObject({ isPrivate: true });

  const elsewhere = await openPage();
  await signIn(elsewhere, account);
  await expect(header(elsewhere).live).toBeVisible();
  await page.goto('/play/profile/sessions');
  await page.getByRole('main').getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(notice(page, '1 device signed out')).toBeVisible();
  await expect(header(elsewhere).signIn).toBeVisible();
});

test('resets a forgotten password by email', async ({ page, platform }) => {
  const account = await signUp(page);
  await signOut(page);
  await page.goto('/play/sign-in');
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await page.getByLabel('Email', { exact: true }).fill(account.email);
  await page.getByRole('button', { name: 'Send link' }).click();
  await expect(notice(page, 'Check your inbox')).toBeVisible();
  await page.goto(await mailedLink(platform, account.email, 'reset-password'));
  const password = `new ${account.password}`;
  await page.getByLabel('New password').fill(password);
  await page.getByRole('button', { name: 'Save password' }).click();
  await expect(notice(page, 'Password changed')).toBeVisible();
  await enterPassword(page, account);
  await expect(alert(page)).toBeVisible();
  await signIn(page, { ...account, password });
});

test('changes the email address after both addresses have confirmed', async ({ page, platform }) => {
  const account = await newPlayer(platform, { page });
  const { email } = newAccount();
  await page.goto('/play/profile/security');
  await page.getByRole('button', { name: 'Change email' }).click();
  await dialog(page).getByLabel('New email').fill(email);
  await dialog(page).getByLabel('Current password').fill(account.password);
  await dialog(page).getByRole('button', { name: 'Change email' }).click();
  await expect(notice(page, 'We’ve sent you the links')).toBeVisible();
  await expect(setting(page, /^Email/)).toContainText('Changing to');
  await page.goto(await mailedLink(platform, account.email, 'confirm-email'));
  await expect(notice(page, 'Now open the link we sent to your other address.')).toBeVisible();
  await page.goto(await mailedLink(platform, email, 'confirm-email'));
  await expect(notice(page, 'Your email address has been changed')).toBeVisible();
  await signOut(page);
  await signIn(page, { ...account, email });
});

const PROMPT = /assets\/code-prompt-.*js/;

test('asks for the password in place when a change needs a recent sign-in', async ({ page, platform }) => {
  const account = await newPlayer(platform, { page });
  await page.route('**/user/generate-2fa', (route) =>
    route.fulfill({
      status: 403,
      json: { statusCode: 403, code: 'SIGN_IN_AGAIN', message: '', requestId: '' },
    }),
  );
  await page.goto('/play/profile/security');
  // If the prompt cannot be loaded, the page stays, and the next attempt loads it.
  await page.route(PROMPT, (route) => route.abort('internetdisconnected'));
  await page.getByRole('button', { name: 'Turn on' }).click();
  await expect(alert(page, 'Check your connection.')).toBeVisible();
  await page.unroute(PROMPT);
  await page.getByRole('button', { name: 'Turn on' }).click();
  const prompt = dialog(page).filter({ hasText: 'Confirm it’s you' });
  await prompt.getByLabel('Your password').fill('wrong password');
  await prompt.getByRole('button', { name: 'Confirm' }).click();
  await expect(alert(page, 'This password is wrong.')).toBeVisible();
  await page.unroute('**/user/generate-2fa');
  await prompt.getByLabel('Your password').fill(account.password);
  await prompt.getByRole('button', { name: 'Confirm' }).click();
  await expect(dialog(page).getByRole('img', { name: 'QR code of the key' })).toBeVisible();
});

test.describe('second factors', () => {
  test.use({ baseURL: onLocalhost });

  test('completes a sign-in with an authenticator app or a passkey, or signs in with the passkey alone', async ({
    page,
  }) => {
    const { user } = header(page);
    await addAuthenticator(page);
    const account = await signUp(page);
    await page.goto('/play/profile/security');
    await page.getByRole('button', { name: 'Turn on' }).click();
    await expect(dialog(page).getByRole('img', { name: 'QR code of the key' })).toBeVisible();
    const secret = (await dialog(page).locator('code').innerText()).trim();
    await dialog(page)
      .getByLabel('Code from the app')
      .fill(await codeOf(secret));
    await dialog(page).getByRole('button', { name: 'Turn on' }).click();
    await dialog(page).getByRole('button', { name: 'I’ve saved my codes' }).click();
    await expect(setting(page, /^Authenticator app/)).toContainText('recovery codes left');
    await signOut(page);
    await enterPassword(page, account);
    await page.getByLabel('Authenticator or recovery code').fill(await codeOf(secret, 'next'));
    await dialog(page).getByRole('button', { name: 'Sign in' }).click();
    await expect(user(account.username)).toBeVisible();

    await page.goto('/play/profile/security');
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await dialog(page).getByLabel('Name', { exact: true }).fill('Telephone');
    await dialog(page).getByRole('button', { name: 'Add passkey' }).click();
    await expect(setting(page, 'Telephone')).toBeVisible();
    await signOut(page);
    await page.goto('/play/sign-in');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await expect(user(account.username)).toBeVisible();
    await signOut(page);
    await enterPassword(page, account);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await expect(user(account.username)).toBeVisible();

    await page.goto('/play/profile/security');
    await page.getByRole('button', { name: 'Actions for Telephone' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await dialog(page).getByRole('button', { name: 'Use a passkey' }).click();
    await expect(dialog(page).locator('input[name=mfaCode]')).not.toHaveValue('');
    await dialog(page).getByRole('button', { name: 'Remove' }).click();
    await expect(setting(page, 'Telephone')).toHaveCount(0);
  });
});

/** The identity providers of the sandbox: the field that identifies the user, and whether they verify the email address. */
const PROVIDERS = {
  Google: { field: '#email', isVerified: true },
  Steam: { field: '#account-id', isVerified: false },
} as const;

for (const [name, { field, isVerified }] of Object.entries(PROVIDERS)) {
  test(`opens an account through ${name}, and signs in to it again`, async ({ page, context, platform }) => {
    const { username, email } = newAccount();
    const id = isVerified ? email : `7656119${randomInt(10 ** 9, 10 ** 10)}`;
    const signInThere = async () => {
      await page.goto('/play/sign-in');
      await page.getByRole('link', { name }).click();
      await page.locator(field).fill(id);
      await page.locator('#sign-in').click();
    };
    await signInThere();
    // When the lobby and the API are different sites, the browser sends no cookie. The tab's nonce is used instead.
    await context.clearCookies({ name: 'idp_state' });
    await fillSignUp(page, { username, email });
    await expect(header(page).user(username)).toBeVisible();
    expect(await callFrom(page, platform.api)('GET', '/user/me')).toMatchObject({
      emailVerified: isVerified,
    });
    await signOut(page);
    await signInThere();
    await expect(header(page).user(username)).toBeVisible();
  });

  test(`returns without a session when the user cancels at ${name}`, async ({ page }) => {
    await page.goto('/play/sign-in');
    await page.getByRole('link', { name }).click();
    await page.locator('#cancel').click();
    await page.waitForURL(/\/play\/auth/);
    await expect(page.getByRole('heading', { name: 'Sign-in didn’t work' })).toBeVisible();
    await expect(alert(page)).toBeVisible();
    await expect(header(page).signIn).toBeVisible();
  });
}

test('leads back to the page after the session has ended', async ({ page, context, platform }) => {
  const account = await newPlayer(platform, { page });
  await page.goto('/play/profile/sessions');
  await expect(header(page).user(account.username)).toBeVisible();
  await context.clearCookies();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'You’ve been signed out' })).toBeVisible();
  await fillSignIn(page, account);
  await expect(page.getByRole('heading', { level: 1, name: 'Devices' })).toBeVisible();
  await signOut(page);
  await expect(page.getByText('You’ve been signed out'), 'nothing is said after a sign-out').toHaveCount(0);
});

test('keeps the page when the socket reports a sign-out before its response', async ({ page, platform }) => {
  const player = await newPlayer(platform, { page });
  const [socket] = await Promise.all([page.waitForEvent('websocket'), page.goto('/play/games')]);
  await expect(header(page).live).toBeVisible();
  await page.route('**/session/log-out/current', async (route) => {
    const revoked = socket.waitForEvent('framereceived', ({ payload }) =>
      payload.includes('session.revoked'),
    );
    const [response] = await Promise.all([route.fetch(), revoked]);
    await route.fulfill({ response });
  });
  await page.evaluate("window.isSamePage = 'yes'");
  await signOut(page);
  await header(page).signIn.click();
  await expect(page.getByText('You’ve been signed out')).toHaveCount(0);
  await fillSignIn(page, player);
  await expect(header(page).user(player.username)).toBeVisible();
  expect(await page.evaluate('window.isSamePage')).toBe('yes');
});
