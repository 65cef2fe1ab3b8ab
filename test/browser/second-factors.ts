import type { CDPSession, Page } from '@playwright/test';
import { generate } from 'otplib';
import type { Platform } from './platform.ts';

const STEP_SECONDS = 30;

/** A value of the fixture `baseURL`: browsers do not support passkeys on IP addresses. */
export const onLocalhost = (
  { platform }: { platform: Platform },
  use: (url: string) => Promise<void>,
): Promise<void> => use(localhost(platform.api));

export const localhost = (url: string): string => url.replace('//127.0.0.1:', '//localhost:');

/** Returns a code of an authenticator app. The current code is accepted once, and so is the next one. */
export const codeOf = (secret: string, which: 'current' | 'next' = 'current'): Promise<string> =>
  generate({ secret, epoch: Math.floor(Date.now() / 1000) + (which === 'next' ? STEP_SECONDS : 0) });

type Authenticator = { session: CDPSession; authenticatorId: string };

/** Gives a page a virtual authenticator that stores passkeys. */
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

export const verifyUser = ({ session, authenticatorId }: Authenticator, isUserVerified: boolean) =>
  session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
