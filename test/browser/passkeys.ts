import { randomBytes } from 'node:crypto';
import type { CDPSession, Page } from 'playwright-core';

type Authenticator = { session: CDPSession; authenticatorId: string };

/**
 * Tests passkeys on the sandbox's site: opens an account, adds a passkey and signs out. The passkey alone is sufficient to sign in, but the
 * password alone is not. A passkey without user verification is rejected. Uses `localhost`, because browsers do not support passkeys on IP
 * addresses.
 */
export async function passkeys(page: Page, { sandbox }: { sandbox: string }): Promise<void> {
  const site = `${sandbox.replace('//127.0.0.1:', '//localhost:')}/site/`;
  const authenticator = await addAuthenticator(page);
  const name = `k_${randomBytes(6).toString('hex')}`;
  const account = { name, email: `${name}@mail.example`, password: `pw ${randomBytes(9).toString('hex')}` };
  await page.goto(site);
  await page.fill('#sign-up-username', account.name);
  await page.fill('#sign-up-email', account.email);
  await page.fill('#sign-up-password', account.password);
  await page.click('#sign-up');
  await expectText(page, '#who', name);

  await page.click('#add-passkey');
  await expectText(page, '#passkeys', 'This browser');
  await expectText(page, '#recovery-codes', 'Keep these recovery codes');
  const { credentials } = await authenticator.session.send('WebAuthn.getCredentials', {
    authenticatorId: authenticator.authenticatorId,
  });
  if (
    credentials.length !== 1 ||
    !credentials[0]!.isResidentCredential ||
    credentials[0]!.rpId !== 'localhost'
  )
    throw new Error(`the authenticator has ${JSON.stringify(credentials)}`);
  await page.click('#add-passkey');
  await expectText(page, '#error', 'InvalidStateError');

  await leave(page, site);
  await page.click('#sign-in-passkey');
  await expectText(page, '#who', name);
  if (JSON.parse(await page.innerText('#me')).mfaEnabled !== true)
    throw new Error('a passkey is no second factor');

  await leave(page, site);
  await signInWith(page, account);
  await page.waitForURL(/\/site\/auth/);
  await page.click('#use-passkey');
  await expectText(page, '#who', name);

  await leave(page, site);
  await verifyUser(authenticator, false);
  await page.click('#sign-in-passkey');
  await expectText(page, '#error', 'NotAllowedError');
  await verifyUser(authenticator, true);
  await page.click('#sign-in-passkey');
  await expectText(page, '#who', name);
}

export async function addAuthenticator(page: Page): Promise<Authenticator> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { session, authenticatorId };
}

const verifyUser = ({ session, authenticatorId }: Authenticator, isUserVerified: boolean) =>
  session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });

async function leave(page: Page, site: string): Promise<void> {
  await page.goto(site);
  await page.click('#sign-out');
  await expectText(page, '#who', 'nobody');
}

async function signInWith(
  page: Page,
  { email, password }: { email: string; password: string },
): Promise<void> {
  await page.fill('#sign-in-email', email);
  await page.fill('#sign-in-password', password);
  await page.click('#sign-in');
}

async function expectText(page: Page, selector: string, text: string): Promise<void> {
  await page.locator(selector).filter({ hasText: text }).waitFor();
}
