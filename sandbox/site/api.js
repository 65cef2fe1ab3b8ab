/**
 * The main API, as the page names it; under the name of this machine where the page was opened under it, because cookies of one name
 * are not sent from pages of another, and browsers have no passkeys for addresses.
 */
export const API = inThisName(document.querySelector('meta[name=api]').content);

function inThisName(address) {
  return location.hostname === 'localhost' ? address.replace('//127.0.0.1:', '//localhost:') : address;
}

/**
 * Calls the API. The session is in HTTP-only cookies: `credentials: 'include'` sends and takes them across origins. When
 * the access token has run out, the refresh cookie gets a new one and the call is made again.
 *
 * Answers the body; throws `{ status, code, message }` when the API refuses.
 */
export async function call(method, path, { body, headers } = {}) {
  let answer = await send(method, path, { body, headers });
  if (answer.status === 401 && (await answer.clone().json()).code === 'UNAUTHORIZED' && (await refresh()))
    answer = await send(method, path, { body, headers });
  const text = await answer.text();
  const result = text ? JSON.parse(text) : undefined;
  if (!answer.ok)
    throw Object.assign(new Error(result?.message), { status: answer.status, code: result?.code });
  return result;
}

function send(method, path, { body, headers } = {}) {
  return fetch(API + path, {
    method,
    credentials: 'include',
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** 409: another tab has just done the same; its cookies are ours. */
async function refresh() {
  const answer = await send('POST', '/auth/refresh');
  return answer.ok || answer.status === 409;
}

/** Solves a captcha and answers the header that goes with the call. A real site has the verifier's widget here. */
export async function captcha() {
  const answer = await fetch('/captcha/token', { method: 'POST' });
  return { 'x-captcha-token': (await answer.json()).token };
}

/** What the address carries behind its #. It is not sent to servers and taken out of the browser's history. */
export function takeFragment() {
  addEventListener('hashchange', () => location.reload());
  const values = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  history.replaceState(null, '', location.pathname);
  return values;
}

/** Calls `action` with the fields when the form is sent; shows what went wrong. */
export function onSubmit(id, action) {
  const form = document.getElementById(id);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    await attempt(() => action(Object.fromEntries(new FormData(form))));
  });
}

export function onClick(id, action) {
  document.getElementById(id).addEventListener('click', () => attempt(action));
}

/** Does something; what the API refuses stands in #error as `CODE: message`. */
export async function attempt(action) {
  say('error', '');
  try {
    await action();
  } catch (error) {
    // Errors of the browser have numbers there.
    const code = typeof error.code === 'string' ? error.code : error.name;
    say('error', `${code}: ${error.message}`);
  }
}

/** Writes into an element. */
export function say(id, text) {
  document.getElementById(id).textContent = text;
}

export function show(id) {
  document.getElementById(id).hidden = false;
}

/** A sign-in that needs a second factor goes on at /site/auth, whichever way it began. */
export function continueWithMfa({ token, provider = '', state = '', mfaMethods = [] }) {
  const facts = { mfaToken: token, provider, state, mfaMethods: mfaMethods.join() };
  location.href = `/site/auth#${new URLSearchParams(facts)}`;
}
