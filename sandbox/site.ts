import { readFileSync } from 'node:fs';
import { type Endpoint, html, type SandboxService, seeOther } from './endpoint.ts';
import { escapeHtml, page } from './page.ts';

const PAGES = [
  {
    path: '/site/',
    file: 'index.html',
    title: 'Site',
    about:
      'Shows who is signed in. Sign up, sign in with an e-mail address, a passkey or a provider, manage passkeys and the address of ' +
      'the account, and sign out. For passkeys, open the page under the name localhost.',
  },
  {
    path: '/site/auth',
    file: 'auth.html',
    title: 'Sign in',
    about:
      'The page to which identity providers redirect. The fragment contains signedIn, setupUsernameToken, mfaToken or error.',
  },
  {
    path: '/site/verify-email',
    file: 'verify-email.html',
    title: 'Verify e-mail',
    about: 'The page that the verification mail links to, with #token=.',
  },
  {
    path: '/site/confirm-email',
    file: 'confirm-email.html',
    title: 'Confirm an e-mail address',
    about: 'The page that mails about a change of the address link to, with #token=.',
  },
  {
    path: '/site/reset-password',
    file: 'reset-password.html',
    title: 'New password',
    about: 'The page that the reset mail links to, with #token=.',
  },
];

const SCRIPTS = [
  { file: 'api.js', about: 'The script with which these pages call the API.' },
  { file: 'passkeys.js', about: 'The script with which these pages create and use passkeys.' },
];

/**
 * A minimal front end that replaces the operator's. It shows how to use the API from a browser. Its pages are plain HTML in `site/`. They
 * read the API's address from a meta element.
 */
export function site({ url, apiUrl }: { url: string; apiUrl: () => string }): SandboxService {
  return {
    name: 'Site',
    about:
      "Replaces the operator's front end. Mails and identity providers lead here if SITE_URL is set to this address.",
    settings: { SITE_URL: `${url}/site` },
    endpoints: [
      {
        method: 'GET',
        path: '/site',
        about: 'Redirects to /site/.',
        handle: () => seeOther('/site/'),
      },
      ...PAGES.map(
        ({ path, file, title, about }): Endpoint => ({
          method: 'GET',
          path,
          about,
          handle: () =>
            html(200, page(title, read(file), `<meta name="api" content="${escapeHtml(apiUrl())}">\n`)),
        }),
      ),
      ...SCRIPTS.map(
        ({ file, about }): Endpoint => ({
          method: 'GET',
          path: `/site/${file}`,
          about,
          handle: () => ({ status: 200, type: 'text/javascript; charset=utf-8', body: read(file) }),
        }),
      ),
    ],
  };
}

/** Reads the file for every request, so that edits are visible after a reload. */
const read = (file: string): string => readFileSync(new URL(`./site/${file}`, import.meta.url), 'utf8');
