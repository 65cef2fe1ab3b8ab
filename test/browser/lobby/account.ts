import { equal, ok } from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { generate } from 'otplib';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { addAuthenticator } from '../passkeys.ts';
import { insist } from '../verify.ts';
import { card, givePassword, isIn, isOut, linkOf, newAccount, said, send, signOut, signUp } from './kit.ts';
import type { Place, Steps } from './steps.ts';

const STEP_MS = 30_000;

export const accountSteps: Steps = {
  'an account is opened, its address verified by mail, a picture chosen, and a session ended elsewhere':
    openAccount,
  'a forgotten password is reset, and the address changed, by mail': recover,
  'a second factor and a passkey: each completes a sign-in, and the passkey is one by itself': secondFactors,
  'both identity providers lead to an account, and back into it': bothProviders,
  'cancelling at either provider leads back with a reason and no session': cancelled,
};

async function openAccount(page: Page, { browser, platform }: Place): Promise<void> {
  const { api } = platform;
  const account = await signUp(page, api);
  await page.goto(await linkOf(platform, { to: account.email, page: 'verify-email' }));
  await said(page, 'Your e-mail is verified.');
  equal(new URL(page.url()).hash, '', 'the token stays in the address');
  await page.goto(`${api}/play/profile`);
  equal((await send(page, 'GET', `${api}/user/me`)).emailVerified, true);
  const image = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#08f' } })
    .png()
    .toBuffer();
  await page
    .getByLabel('Choose a picture')
    .setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: image });
  const picture = page.getByRole('img', { name: 'Profile picture' });
  await insist(async () => ok(await picture.evaluate((image) => (image as any).naturalWidth)));
  await page.getByLabel('Hide my name').check();
  await card(page, 'How you are seen, and what we send').getByRole('button', { name: 'Save' }).click();
  await insist(async () => equal((await send(page, 'GET', `${api}/user/me`)).isPrivate, true));

  const context = await browser.newContext();
  try {
    const elsewhere = await context.newPage();
    await givePassword(elsewhere, api, account);
    await isIn(elsewhere, account.username);
    await elsewhere.getByText('● live').waitFor();
    await page.goto(`${api}/play/profile/sessions`);
    await page.getByRole('button', { name: 'End it' }).click();
    await said(page, 'One session has ended');
    await isOut(elsewhere);
  } finally {
    await context.close();
  }
}

async function recover(page: Page, { platform }: Place): Promise<void> {
  const { api } = platform;
  const account = await signUp(page, api);
  await signOut(page);
  await page.goto(`${api}/play/sign-in`);
  await page.getByRole('link', { name: 'Password forgotten?' }).click();
  await page.getByLabel('E-mail').fill(account.email);
  await page.getByRole('button', { name: 'Send me the link' }).click();
  await said(page, 'the mail is on its way');
  const link = await linkOf(platform, { to: account.email, page: 'reset-password' });
  await page.goto(link);
  const renewed = { ...account, password: `new ${account.password}` };
  await page.getByLabel('Password, eight').fill(renewed.password);
  await page.getByRole('button', { name: 'Save the password' }).click();
  await said(page, 'Your password is changed');
  await givePassword(page, api, account);
  await page.getByRole('alert').waitFor();
  await givePassword(page, api, renewed);
  await isIn(page, account.username);

  const email = newAccount().email;
  await page.goto(`${api}/play/profile/security`);
  const address = card(page, 'E-mail');
  await address.getByLabel('New address').fill(email);
  await address.getByLabel('Password').fill(renewed.password);
  await address.getByRole('button', { name: 'Change the address' }).click();
  await said(page, 'The links are on their way');
  await page.goto(await linkOf(platform, { to: account.email, page: 'confirm-email' }));
  await said(page, 'The other address has to be confirmed, too.');
  await page.goto(await linkOf(platform, { to: email, page: 'confirm-email' }));
  await said(page, 'Your account has its new address.');
  await givePassword(page, api, { ...renewed, email });
  await isIn(page, account.username);
}

/** Uses `localhost`, because browsers do not support passkeys on IP addresses. */
async function secondFactors(page: Page, { platform }: Place): Promise<void> {
  const api = platform.api.replace('//127.0.0.1:', '//localhost:');
  await addAuthenticator(page);
  const account = await signUp(page, api);
  await page.goto(`${api}/play/profile/security`);
  const app = card(page, 'Authenticator app');
  await app.getByRole('button', { name: 'Turn it on' }).click();
  await app.getByRole('img', { name: 'QR code of the key' }).waitFor();
  const secret = (await app.locator('code').innerText()).trim();
  await app.getByLabel('The code that the app shows').fill(await generate({ secret }));
  await app.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('button', { name: 'I have kept them' }).click();
  await page.getByText('The app is on. Recovery codes left').waitFor();

  await signOut(page);
  await givePassword(page, api, account);
  const next = Math.floor((Date.now() + STEP_MS) / 1000);
  await page.getByLabel('Code of your authenticator app').fill(await generate({ secret, epoch: next }));
  await page.locator('form').getByRole('button', { name: 'Sign in' }).click();
  await isIn(page, account.username);

  await page.goto(`${api}/play/profile/security`);
  const passkeys = card(page, 'Passkeys');
  await passkeys.getByLabel('Name', { exact: true }).fill('Telephone');
  await passkeys.getByRole('button', { name: 'Add a passkey' }).click();
  await passkeys.getByRole('table').getByText('Telephone').waitFor();
  await signOut(page);
  await page.goto(`${api}/play/sign-in`);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await isIn(page, account.username);
  await signOut(page);
  await givePassword(page, api, account);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await isIn(page, account.username);

  await page.goto(`${api}/play/profile/security`);
  await passkeys.locator('summary', { hasText: 'Remove' }).click();
  await passkeys.getByRole('button', { name: 'Use a passkey' }).click();
  await insist(async () => ok(await passkeys.locator('input[name=mfaCode]').inputValue()));
  await passkeys.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('You have none yet.').waitFor();
}

const PROVIDERS = {
  Google: ['#email', ({ email }: { email: string }) => email],
  Steam: ['#account-id', () => `7656119${randomInt(10 ** 9, 10 ** 10)}`],
} as const;

async function bothProviders(page: Page, { platform }: Place): Promise<void> {
  for (const [name, [field, idOf]] of Object.entries(PROVIDERS)) {
    const { username, email } = newAccount();
    const id = idOf({ email });
    const through = async () => {
      await page.goto(`${platform.api}/play/sign-in`);
      await page.getByRole('link', { name }).click();
      await page.fill(field, id);
      await page.click('#sign-in');
    };
    await through();
    // When the lobby and the API are different sites, the browser sends no cookie. The tab's nonce is used instead.
    await page.context().clearCookies({ name: 'idp_state' });
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('E-mail').fill(email);
    await page.locator('form').getByRole('button', { name: 'Sign up' }).click();
    await isIn(page, username);
    // Only an email address verified by the provider counts as verified.
    const { emailVerified } = await send(page, 'GET', `${platform.api}/user/me`);
    equal(emailVerified, name === 'Google', name);
    await signOut(page);
    await through();
    await isIn(page, username);
    await signOut(page);
  }
}

async function cancelled(page: Page, { platform }: Place): Promise<void> {
  for (const name of Object.keys(PROVIDERS)) {
    await page.goto(`${platform.api}/play/sign-in`);
    await page.getByRole('link', { name }).click();
    await page.click('#cancel');
    await page.waitForURL(/\/play\/auth/);
    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    await page.getByRole('alert').waitFor();
    await isOut(page);
  }
}
