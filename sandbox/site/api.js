/**
 * The main API's address from the page. Uses `localhost` if the page was opened under that name. Cookies are not sent across host names,
 * and browsers do not support passkeys on IP addresses.
 */
export const API = inThisName(document.querySelector('meta[name=api]').content);

function inThisName(address) {
  return location.hostname === 'localhost' ? address.replace('//127.0.0.1:', '//localhost:') : address;
}

/**
 * Calls the API. The session is in HTTP-only cookies: `credentials: 'include'` sends and stores them across origins. When the access token
 * has expired, the refresh cookie gets a new one and the call is repeated.
 *
 * Returns the body; throws `{ status, code, message }` when the API returns an error.
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

/** 409 means that another tab has just refreshed; its cookies are valid here too. */
async function refresh() {
  const answer = await send('POST', '/auth/refresh');
  return answer.ok || answer.status === 409;
}

/** Solves a captcha and returns the header for the call. A real site uses the verifier's widget here. */
export async function captcha() {
  const answer = await fetch('/captcha/token', { method: 'POST' });
  return { 'x-captcha-token': (await answer.json()).token };
}

/** Reads the values in the URL fragment and removes them from the browser's history. Fragments are not sent to servers. */
export function takeFragment() {
  addEventListener('hashchange', () => location.reload());
  const values = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  history.replaceState(null, '', location.pathname);
  return values;
}

/** Calls `action` with the form's fields on submit; shows errors. */
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

/** Runs an action and shows an API error in #error as `CODE: message`. */
export async function attempt(action) {
  say('error', '');
  try {
    await action();
  } catch (error) {
    // Browser errors have a numeric code, so their name is shown.
    const code = typeof error.code === 'string' ? error.code : error.name;
    say('error', `${code}: ${error.message}`);
  }
}

/** Sets the text of an element. */
export function say(id, text) {
  document.getElementById(id).textContent = text;
}

export function show(id) {
  document.getElementById(id).hidden = false;
}

/** Continues at /site/auth if a sign-in of any kind needs a second factor. */
export function continueWithMfa({ token, provider = '', state = '', mfaMethods = [] }) {
  const facts = { mfaToken: token, provider, state, mfaMethods: mfaMethods.join() };
  location.href = `/site/auth#${new URLSearchParams(facts)}`;
}
