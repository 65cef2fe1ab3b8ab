import { readFileSync } from 'node:fs';
import { type Endpoint, html, type SandboxService, seeOther } from './endpoint.ts';
import { escapeHtml, page } from './page.ts';

const PAGES = [
  {
    path: '/site/',
    file: 'index.html',
    title: 'Site',
    about:
      'Who is signed in; sign up, sign in with an e-mail, a passkey or through a provider, passkeys and address of the account, sign out. For passkeys open it under the name localhost.',
  },
  {
    path: '/site/auth',
    file: 'auth.html',
    title: 'Sign in',
    about:
      'Where a provider leads back to: the fragment says signedIn, setupUsernameToken, mfaToken or error.',
  },
  {
    path: '/site/verify-email',
    file: 'verify-email.html',
    title: 'Verify e-mail',
    about: 'Where the verification mail leads to, with #token=.',
  },
  {
    path: '/site/confirm-email',
    file: 'confirm-email.html',
    title: 'Confirm an e-mail address',
    about: 'Where the mails about a change of the address lead to, with #token=.',
  },
  {
    path: '/site/reset-password',
    file: 'reset-password.html',
    title: 'New password',
    about: 'Where the reset mail leads to, with #token=.',
  },
];

const SCRIPTS = [
  { file: 'api.js', about: 'How these pages call the API.' },
  { file: 'passkeys.js', about: 'How these pages make and use passkeys.' },
];

/**
 * A minimal front end that replaces the operator's. It shows how to use the API from a browser. Its pages are plain HTML in `site/`. They
 * read the API's address from a meta element.
 */
export function site({ url, apiUrl }: { url: string; apiUrl: () => string }): SandboxService {
  return {
    name: 'Site',
    about:
      "Stands for the operator's front end; mails and identity providers lead here where SITE_URL says so.",
    settings: { SITE_URL: `${url}/site` },
    endpoints: [
      {
        method: 'GET',
        path: '/site',
        about: 'Leads to /site/.',
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

/** Reads the file for every request, so that a reload shows edits. */
const read = (file: string): string => readFileSync(new URL(`./site/${file}`, import.meta.url), 'utf8');
