import { expect, test } from 'vitest';
import { LANGUAGES, type Language, languageOf } from './languages.ts';
import { createRender } from './render.ts';
import { MailData, type MailInput, type Template } from './schemas.ts';

const render = createRender({ brand: 'Ace & Sons', site: 'https://site.example' });
const AT = '2026-03-04T15:06:00.000Z';
const LINK = 'https://site.example/verify?token=abc&next=%2F';

const SAMPLES: { [T in Template]: MailInput<T> } = {
  'verify-email': { link: LINK, hours: 24 },
  'reset-password': { link: LINK, minutes: 60 },
  'new-device': {
    device: 'Pixel 9',
    browser: 'Firefox 142',
    os: 'Android 16',
    country: 'ES',
    ip: '192.0.2.7',
    at: AT,
  },
  'mfa-changed': { change: 'passkey-added', passkey: 'Laptop', at: AT },
  'email-change-old': { link: LINK, hours: 24, address: 'an***@mail.example' },
  'email-change-new': { link: LINK, hours: 24 },
  'email-changed': { at: AT, address: 'an***@mail.example' },
  'already-registered': { signInLink: LINK, resetLink: 'https://site.example/forgot' },
  'password-changed': { at: AT },
  'sign-in-failures': { at: AT, resetLink: LINK },
  'return-alert': { game: 'dice', bets: '12000', actual: '99.9 %', band: '98.1 % – 99.4 %', at: AT },
  'uniformity-alert': { game: 'keno', rounds: '12000', chance: '0.0312 %', at: AT },
};
const templates = Object.keys(SAMPLES) as Template[];
const languages = Object.keys(LANGUAGES) as Language[];
const every = templates.flatMap((template) => languages.map((language) => ({ template, language })));

const renderSample = (template: Template, language: Language, data: object = SAMPLES[template]) =>
  render(template, language, MailData[template].parse(data) as never);

/** The visible text of the HTML part. */
const shown = (html: string) =>
  html
    .replace(/<(style|title)\b.*?<\/\1>|<!--.*?-->|<[^>]*>/gs, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');

test.each(every)(
  'renders the complete text and HTML parts of $template in $language',
  ({ template, language }) => {
    const { subject, text, html } = renderSample(template, language);
    const { mails, automatic } = LANGUAGES[language];
    for (const part of [subject, text, html])
      expect(part).not.toMatch(/undefined|null|\[object|=>|<%|\bit\.[a-z]/);
    expect(subject).toContain('Ace & Sons');
    expect(subject).not.toMatch(/[\r\n]/);
    expect(html).toContain(`<html lang="${language}"`);
    expect(html).toContain('prefers-color-scheme: dark');
    for (const words of Object.values(mails[template])) {
      const sentence =
        typeof words === 'string' ? words : words({ ...SAMPLES[template], brand: 'Ace & Sons' } as never);
      // The subject is a header, and the preview is only in the HTML part.
      expect(shown(html) + subject).toContain(sentence);
      if (words !== mails[template].preview) expect(text + subject).toContain(sentence);
    }
    for (const part of [text, shown(html)]) {
      expect(part).toContain(automatic);
      expect(part).toContain('Ace & Sons');
    }
    expect(text).toContain('https://site.example');
    expect(text).not.toMatch(/\n{3}|&amp;|&#39;|<\w/);
  },
);

test.each(every)(
  "renders $template in $language with only the given links and the site's link, and no external resources",
  ({ template, language }) => {
    const { text, html } = renderSample(template, language);
    const links = Object.values(SAMPLES[template]).filter((value) => String(value).startsWith('https:'));
    const escaped = links.map((link) => String(link).replaceAll('&', '&amp;'));
    const hrefs = [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href!);
    expect(new Set(hrefs)).toEqual(new Set(['https://site.example', ...escaped]));
    for (const link of links) expect(text.split('\n')).toContain(link);
    // Opening the email must load nothing from the network.
    expect(html).not.toMatch(/<(img|script|link|iframe)\b|url\(|@import/i);
  },
);

test('escapes values from clients in HTML, and keeps them on one line in plain text', () => {
  const data = {
    ...SAMPLES['new-device'],
    device: '<b>Evil</b> & "Co"',
    browser: 'Fire\r\nfox: click http://evil.example\n\nbye',
    os: `${'x'.repeat(200)}`,
  };
  const { html, text } = renderSample('new-device', 'en', data);
  expect(html).toContain('&lt;b&gt;Evil&lt;/b&gt; &amp; &quot;Co&quot;');
  expect(html).not.toContain('<b>Evil');
  expect(text).toContain('Device: <b>Evil</b> & "Co"\n');
  expect(text).toContain('Browser: Fire fox: click http://evil.example bye\n');
  expect(text).toContain(`System: ${'x'.repeat(100)}\n`);
});

test('escapes a malicious link in the HTML attribute', () => {
  const link = `https://site.example/?q="><script>alert('1')</script>`;
  const { html } = renderSample('verify-email', 'en', { link, hours: 1 });
  expect(html).not.toContain('<script');
  expect(html).not.toContain('?q="');
});

test.each(['javascript:alert(1)', 'data:text/html,x', 'ftp://site.example/x', '/relative', 'https://'])(
  'rejects the link %s',
  (link) => {
    expect(MailData['verify-email'].safeParse({ link, hours: 1 }).success).toBe(false);
    expect(MailData['already-registered'].safeParse({ signInLink: link, resetLink: LINK }).success).toBe(
      false,
    );
  },
);

test("formats values in the reader's language, and omits unknown values", () => {
  const german = renderSample('new-device', 'de').text;
  expect(german).toContain('Land: Spanien\n');
  expect(german).toContain('Zeit: 4. März 2026 um 15:06 UTC\n');
  const unknown = { device: null, browser: null, os: '', country: null, ip: null, at: AT };
  const { text, html } = renderSample('new-device', 'en', unknown);
  for (const part of [text, html]) expect(part).not.toMatch(/Device\b.*:|Country|IP address|null/);
  expect(text).toContain('Time: March 4, 2026 at 3:06');
});

test.each(languages)(
  'renders a distinct subject and body for each change to the second factor in %s',
  (language) => {
    const changes = MailData['mfa-changed'].shape.change.options;
    const mails = changes.map((change) =>
      renderSample('mfa-changed', language, { change, passkey: 'Phone', at: AT }),
    );
    expect(changes).toHaveLength(7);
    expect(new Set(mails.map(({ subject }) => subject)).size).toBe(changes.length);
    expect(new Set(mails.map(({ text }) => text)).size).toBe(changes.length);
  },
);

test('uses the singular and plural forms of hours in every language', () => {
  const text = (n: number, language: Language) =>
    renderSample('verify-email', language, { link: LINK, hours: n }).text;
  expect(text(1, 'en')).toContain('1 hour.');
  expect(text(2, 'en')).toContain('2 hours.');
  expect(text(1, 'de')).toContain('1 Stunde');
  expect(text(1, 'es')).toContain('1 hora.');
});

test('renders every template with a different text in each language', () => {
  for (const template of templates) {
    const bodies = languages.map((language) => renderSample(template, language).text);
    expect(new Set(bodies).size).toBe(languages.length);
  }
});

test.each([
  ['de', 'de'],
  ['de-AT', 'de'],
  ['de_CH', 'de'],
  ['DE', 'de'],
  ['es-419', 'es'],
  ['fr', 'en'],
  ['', 'en'],
  [null, 'en'],
  [undefined, 'en'],
  ['constructor', 'en'],
  ['__proto__', 'en'],
] as const)('selects the language for %s: %s', (wanted, language) => {
  expect(languageOf(wanted)).toBe(language);
});
