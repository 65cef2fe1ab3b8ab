import { describe, expect, test } from 'vitest';
import {
  checkAssertion,
  isConfirmed,
  isLoopback,
  isProven,
  landingOf,
  languageOf,
  OPENID_NS,
  type OpenidFields,
  openidFields,
} from './rules.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const ENDPOINT = 'https://platform.example/openid/login';
const CLAIMED = 'https://platform.example/openid/id/';
const RETURN_TO = 'https://api.example/auth/steam/return?state=abc';
const ACCOUNT = '76561198000000042';
const EXPECTED = { endpoint: ENDPOINT, claimedId: CLAIMED, returnTo: RETURN_TO };
const GOOD: OpenidFields = {
  ns: OPENID_NS,
  mode: 'id_res',
  op_endpoint: ENDPOINT,
  claimed_id: CLAIMED + ACCOUNT,
  identity: CLAIMED + ACCOUNT,
  return_to: RETURN_TO,
  response_nonce: '2026-11-21T11:59:58Zabc=',
  assoc_handle: '1234567890',
  signed: 'signed,op_endpoint,claimed_id,identity,return_to,response_nonce,assoc_handle',
  sig: 'c2lnbmF0dXJl',
};
const judge = (changes: Record<string, string | undefined>) =>
  checkAssertion({ ...GOOD, ...changes } as OpenidFields, EXPECTED, NOW);
const both = (id: string) => ({ claimed_id: id, identity: id });
const unsigned = (name: string) => GOOD.signed!.split(',').filter((n) => n !== name);

describe('an OpenID assertion', () => {
  test('returns the account when all required fields are valid', () => {
    expect(judge({})).toEqual({ account: ACCOUNT });
    expect(judge({ invalidate_handle: 'x', 'sreg.email': 'a@b.example' })).toEqual({ account: ACCOUNT });
  });

  test.each(Object.keys(GOOD))('rejects an assertion in which %s is missing or empty', (name) => {
    expect(judge({ [name]: undefined })).toHaveProperty('wrong');
    expect(judge({ [name]: '' })).toHaveProperty('wrong');
  });

  test.each(unsigned('signed'))('rejects an assertion in which %s is not signed', (name) => {
    expect(judge({ signed: unsigned(name).join(',') })).toEqual({ wrong: 'signed' });
    expect(judge({ signed: GOOD.signed!.replace(name, `x${name}`) })).toEqual({ wrong: 'signed' });
  });

  const W = 'wrong';
  test.each<[string, Record<string, string>]>([
    ['ns', { ns: 'http://openid.net/signon/1.1' }],
    ['mode', { mode: 'setup_needed' }],
    ['mode', { mode: 'error' }],
    ['op_endpoint', { op_endpoint: 'https://evil.example/openid/login' }],
    ['op_endpoint', { op_endpoint: `${ENDPOINT}/` }],
    ['op_endpoint', { op_endpoint: ENDPOINT.replace('https', 'http') }],
    ['claimed_id', both(`https://evil.example/openid/id/${ACCOUNT}`)],
    ['claimed_id', both(`https://evil.example/?${CLAIMED}${ACCOUNT}`)],
    ['claimed_id', both(`${CLAIMED}1${ACCOUNT}`)],
    ['claimed_id', both(`${CLAIMED}${ACCOUNT.slice(1)}`)],
    ['claimed_id', both(`${CLAIMED}${ACCOUNT}/`)],
    ['claimed_id', both(`${CLAIMED}${ACCOUNT}1`)],
    ['claimed_id', both(`${CLAIMED}${ACCOUNT}\n`)],
    ['claimed_id', both(`${CLAIMED}undefined`)],
    ['claimed_id', both(`${ACCOUNT}${CLAIMED}${ACCOUNT}`)],
    ['claimed_id', both(`${CLAIMED}${ACCOUNT}#x`)],
    ['claimed_id', both(`${CLAIMED}../${ACCOUNT}`)],
    ['claimed_id', both(`${CLAIMED}７6561198000000042`)],
    ['claimed_id', both(CLAIMED.toUpperCase() + ACCOUNT)],
    ['identity', { identity: `${CLAIMED}76561198000000043` }],
    ['claimed_id', { claimed_id: `${OPENID_NS}/identifier_select` }],
    ['return_to', { return_to: RETURN_TO.replace('abc', 'abd') }],
    ['return_to', { return_to: `${RETURN_TO}&x=1` }],
    ['return_to', { return_to: RETURN_TO.replace('api', 'API') }],
    ['response_nonce', { response_nonce: '2026-11-21T11:54:59Zabc' }],
    ['response_nonce', { response_nonce: '2026-11-21T12:05:01Zabc' }],
    ['response_nonce', { response_nonce: '2026-13-41T11:59:58Zabc' }],
    ['response_nonce', { response_nonce: '2026-11-21T11:59:58' }],
    ['response_nonce', { response_nonce: ' 2026-11-21T11:59:58Zabc' }],
    ['response_nonce', { response_nonce: `2026-11-21T11:59:58Z${'a'.repeat(236)}` }],
    ['response_nonce', { response_nonce: '2026-11-21T11:59:58Za c' }],
  ])('rejects an assertion with a wrong %s: %o', (name, changes) => {
    expect(judge(changes)).toEqual({ [W]: name });
  });

  test('accepts an assertion whose timestamp differs from the current time by up to five minutes', () => {
    for (const at of ['11:55:00', '12:05:00'])
      expect(judge({ response_nonce: `2026-11-21T${at}Z` })).toEqual({ account: ACCOUNT });
  });
});

test('treats an assertion as confirmed only by an exact is_valid:true with the OpenID namespace', () => {
  const yes = `ns:${OPENID_NS}\nis_valid:true\n`;
  expect(isConfirmed(yes)).toBe(true);
  expect(isConfirmed(`is_valid:true\nns:${OPENID_NS}`)).toBe(true);
  for (const no of [
    '',
    'is_valid:true\n',
    yes.replace('true', 'false'),
    yes.replace('true', 'TRUE'),
    yes.replace('true', 'true '),
    `${yes}is_valid:false\n`,
    `${yes}is_valid:true\n`,
    `x${yes}`,
    `<html>ns:${OPENID_NS} is_valid:true</html>`,
    JSON.stringify({ is_valid: true }),
  ])
    expect(isConfirmed(no), no).toBe(false);
});

test('returns the fields with the openid. prefix', () => {
  const query = { state: 's', 'openid.mode': 'id_res', openid: 'x', 'xopenid.sig': 'y', 'openid.a.b': 'z' };
  expect(openidFields(query)).toEqual({ mode: 'id_res', 'a.b': 'z' });
  expect(openidFields({ 'openid.sig': undefined, 'openid.': '' })).toStrictEqual({ '': '' });
});

test('builds the landing URL from the configured site and encodes all values', () => {
  const site = 'https://site.example/play';
  expect(landingOf(site, { signedIn: 'true' })).toBe('https://site.example/play/auth#signedIn=true');
  const hostile = landingOf(site, { error: '#//evil.example/?a=b&c=d\r\n@', email: null });
  expect(hostile).toBe(
    'https://site.example/play/auth#error=%23%2F%2Fevil.example%2F%3Fa%3Db%26c%3Dd%0D%0A%40',
  );
});

test('maps a locale to a supported language tag, or to undefined', () => {
  const given = [
    'de',
    'pt-BR',
    'pt_BR',
    'DE',
    'deu',
    'de-de',
    'de-DE-x',
    '',
    undefined,
    7,
    null,
    ['de', 'x'],
  ];
  const got = ['de', 'pt-BR', 'pt-BR', ...Array(9).fill(undefined)];
  expect(given.map(languageOf)).toEqual(got);
});

test('accepts email_verified only as a boolean or a string', () => {
  for (const claim of [true, 'true', 'True', 'TRUE']) expect(isProven(claim)).toBe(true);
  for (const claim of [false, 'false', undefined, null, 1, 0, '1', '', 'TRUE ', 'yes', {}, ['true']])
    expect(isProven(claim), String(claim)).toBe(false);
});

test('treats only addresses of the local machine as loopback', () => {
  for (const url of [
    'http://127.0.0.1:3900/oidc',
    'http://127.9.9.9',
    'http://127.10.200.1',
    'http://localhost:1/',
    'http://[::1]:80',
  ])
    expect(isLoopback(url), url).toBe(true);
  for (const url of [
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'http://evil-localhost',
    'http://10.0.0.1',
    'http://127.0.0.1@evil.example',
    'http://[::2]',
  ])
    expect(isLoopback(url), url).toBe(false);
});
