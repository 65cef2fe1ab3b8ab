/** Operates the providers' pages without a browser, for tests: follows redirects, stores cookies and submits the form. */

/** The identity to use at the OpenID Connect provider. `cancel` aborts the sign-in. */
export type OidcVisitor = { email: string; emailVerified?: boolean; name?: string; cancel?: boolean };

/** The account to use at the game platform, with an id of 17 digits. `cancel` aborts the sign-in. */
export type OpenidVisitor = { accountId?: string; cancel?: boolean };

/** Signs in at the OpenID Connect provider. Returns the URL of the redirect back to the platform without following it. */
export function signInAtOidc(authorizationUrl: string, who: OidcVisitor): Promise<string> {
  return visit(authorizationUrl, {
    email: who.email,
    ...((who.emailVerified ?? true) && { email_verified: 'on' }),
    ...(who.name !== undefined && { name: who.name }),
    ...(who.cancel && { cancel: '1' }),
  });
}

/** Signs in at the game platform. Returns the URL of the redirect back to the platform without following it. */
export function signInAtOpenid(loginUrl: string, { accountId, cancel }: OpenidVisitor): Promise<string> {
  return visit(loginUrl, {
    ...(accountId !== undefined && { account: accountId }),
    ...(cancel && { cancel: '1' }),
  });
}

const STEPS = 10;

async function visit(start: string, fields: Record<string, string>): Promise<string> {
  const { origin } = new URL(start);
  const jar = new Map<string, string>();
  let [url, form]: [string, URLSearchParams | undefined] = [start, undefined];
  for (let step = 0; step < STEPS; step += 1) {
    const answer = await request(url, { form, jar });
    const location = answer.headers.get('location');
    if (location) {
      [url, form] = [new URL(location, url).href, undefined];
      if (new URL(url).origin !== origin) return url;
      continue;
    }
    const page = await answer.text();
    if (answer.status !== 200 || form) throw new Error(`${url} returned ${answer.status}: ${page}`);
    url = new URL(/<form[^>]* action="([^"]*)"/.exec(page)?.[1] ?? url, url).href;
    form = new URLSearchParams({ ...hiddenIn(page), ...fields });
  }
  throw new Error(`${start} has not reached the redirect after ${STEPS} steps`);
}

type Sent = { form: URLSearchParams | undefined; jar: Map<string, string> };

async function request(url: string, { form, jar }: Sent): Promise<Response> {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const answer = await fetch(url, {
    redirect: 'manual',
    headers: cookie ? { cookie } : {},
    ...(form && { method: 'POST', body: form }),
  });
  for (const line of answer.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
    if (value) jar.set(name!, value);
    else jar.delete(name!);
  }
  return answer;
}

function hiddenIn(page: string): Record<string, string> {
  const found = page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return Object.fromEntries(Array.from(found, ([, name, value]) => [plain(name!), plain(value!)]));
}

const plain = (html: string) => html.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
