import { randomInt } from 'node:crypto';
import { picture } from '../files.ts';
import { expect, test } from '../fixtures.ts';
import { alert, card, dialog, expectLoaded, notice } from '../parts.ts';
import { addAuthenticator, codeOf, onLocalhost } from '../second-factors.ts';
import { callFrom, newAccount, newPlayer } from '../users.ts';
import { enterPassword, fillSignUp, header, mailedLink, signIn, signOut, signUp } from './lobby.ts';

test('verifies the email address, stores a picture, and ends a session on another device', async ({
  page,
  openPage,
  platform,
}) => {
  const call = callFrom(page, platform.api);
  const account = await signUp(page);
  await page.goto(await mailedLink(platform, account.email, 'verify-email'));
  await expect(notice(page, 'Your e-mail is verified.')).toBeVisible();
  expect(new URL(page.url()).hash, 'the token is removed from the address').toBe('');
  await page.goto('/play/profile');
  expect(await call('GET', '/user/me')).toMatchObject({ emailVerified: true });
  await page.getByLabel('Choose a picture').setInputFiles(await picture());
  await expectLoaded(page.getByRole('img', { name: 'Profile picture' }));
  await page.getByLabel('Hide my name').check();
  await card(page, 'How you are seen, and what we send').getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => call('GET', '/user/me')).toMatchObject({ isPrivate: true });

  const elsewhere = await openPage();
  await signIn(elsewhere, account);
  await expect(header(elsewhere).live).toBeVisible();
  await page.goto('/play/profile/sessions');
  await page.getByRole('button', { name: 'End it' }).click();
  await expect(notice(page, 'One session has ended')).toBeVisible();
  await expect(header(elsewhere).signIn).toBeVisible();
});

test('resets a forgotten password by email', async ({ page, platform }) => {
  const account = await signUp(page);
  await signOut(page);
  await page.goto('/play/sign-in');
  await page.getByRole('link', { name: 'Password forgotten?' }).click();
  await page.getByLabel('E-mail').fill(account.email);
  await page.getByRole('button', { name: 'Send me the link' }).click();
  await expect(notice(page, 'the mail is on its way')).toBeVisible();
  await page.goto(await mailedLink(platform, account.email, 'reset-password'));
  const password = `new ${account.password}`;
  await page.getByLabel('Password, eight').fill(password);
  await page.getByRole('button', { name: 'Save the password' }).click();
  await expect(notice(page, 'Your password is changed')).toBeVisible();
  await enterPassword(page, account);
  await expect(alert(page)).toBeVisible();
  await signIn(page, { ...account, password });
});

test('changes the email address after both addresses have confirmed', async ({ page, platform }) => {
  const account = await newPlayer(platform, { page });
  const { email } = newAccount();
  await page.goto('/play/profile/security');
  const address = card(page, 'E-mail');
  await address.getByLabel('New address').fill(email);
  await address.getByLabel('Password').fill(account.password);
  await address.getByRole('button', { name: 'Change the address' }).click();
  await expect(notice(page, 'The links are on their way')).toBeVisible();
  await page.goto(await mailedLink(platform, account.email, 'confirm-email'));
  await expect(notice(page, 'The other address has to be confirmed, too.')).toBeVisible();
  await page.goto(await mailedLink(platform, email, 'confirm-email'));
  await expect(notice(page, 'Your account has its new address.')).toBeVisible();
  await signIn(page, { ...account, email });
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
    const app = card(page, 'Authenticator app');
    await app.getByRole('button', { name: 'Turn it on' }).click();
    await expect(app.getByRole('img', { name: 'QR code of the key' })).toBeVisible();
    const secret = (await app.locator('code').innerText()).trim();
    await app.getByLabel('The code that the app shows').fill(await codeOf(secret));
    await app.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await expect(page.getByText('The app is on. Recovery codes left')).toBeVisible();
    await signOut(page);
    await enterPassword(page, account);
    await page.getByLabel('Code of your authenticator app').fill(await codeOf(secret, 'next'));
    await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
    await expect(user(account.username)).toBeVisible();

    await page.goto('/play/profile/security');
    const passkeys = card(page, 'Passkeys');
    await passkeys.getByLabel('Name', { exact: true }).fill('Telephone');
    await passkeys.getByRole('button', { name: 'Add a passkey' }).click();
    await expect(passkeys.getByRole('table').getByText('Telephone')).toBeVisible();
    await signOut(page);
    await page.goto('/play/sign-in');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await expect(user(account.username)).toBeVisible();
    await signOut(page);
    await enterPassword(page, account);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await expect(user(account.username)).toBeVisible();

    await page.goto('/play/profile/security');
    await passkeys.locator('summary', { hasText: 'Remove' }).click();
    await passkeys.getByRole('button', { name: 'Use a passkey' }).click();
    await expect(passkeys.locator('input[name=mfaCode]')).not.toHaveValue('');
    await passkeys.getByRole('button', { name: 'Remove' }).click();
    await dialog(page).getByRole('button', { name: 'Remove' }).click();
    await expect(page.getByText('You have none yet.')).toBeVisible();
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
    await expect(page.getByRole('heading', { name: 'You are not signed in' })).toBeVisible();
    await expect(alert(page)).toBeVisible();
    await expect(header(page).signIn).toBeVisible();
  });
}
