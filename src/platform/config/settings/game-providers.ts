import { createPrivateKey, createPublicKey } from 'node:crypto';
import { z } from 'zod';
import { WebUrl } from '../../net/schemas.ts';
import { hidden, percent } from './setting.ts';

const DIALECTS = ['generic', 'hub88', 'softswiss', 'pragmatic'] as const;
/** Maximum number of decimal places in each dialect. */
const PLACES = { generic: 8, hub88: 5, softswiss: 18, pragmatic: 2 } as const;
/** Reserved names. They have another meaning in paths and settings that contain a slug. */
const RESERVED = ['all', 'main', 'house', 'providers', 'commission', 'favorite', 'bulk', 'hydrate'];

const Text = z.string().min(1).max(200);
const Slug = z
  .string()
  .max(32)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'needs small letters, digits and single hyphens')
  .refine((slug) => !RESERVED.includes(slug), 'is a name that is taken');
const Url = WebUrl.transform((url) => url.replace(/\/+$/, ''));
const Origin = Url.refine(
  (url) => new URL(url).origin === url,
  'needs an origin such as https://play.example',
);
const isKey = (read: (pem: string) => { asymmetricKeyType?: string | undefined }) => (pem: string) => {
  try {
    return read(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
};

const Currency = z.strictObject({
  ours: z.string().min(1).max(16),
  code: z.string().min(1).max(16),
  /** The number of our units in one of the provider's units. */
  factor: z
    .string()
    .regex(/^(?=.*[1-9])(0|[1-9]\d{0,9})(\.\d{1,8})?$/, 'needs a decimal number above zero such as "0.001"')
    .default('1'),
  decimals: z.number().int().min(0).max(18),
});

const Provider = z
  .strictObject({
    slug: Slug,
    name: Text,
    prefix: Slug.optional(),
    dialect: z.enum(DIALECTS),
    apiUrl: Url,
    operatorId: Text,
    secrets: z.array(Text).max(5).default([]),
    publicKeys: z
      .array(z.string().refine(isKey(createPublicKey), 'needs an RSA public key in PEM'))
      .max(5)
      .default([]),
    privateKey: z.string().refine(isKey(createPrivateKey), 'needs an RSA private key in PEM').optional(),
    currencies: z.array(Currency).min(1).max(200),
    launchOrigins: z.array(Origin).min(1).max(20),
    blockedCountries: z.array(z.string().regex(/^[A-Z]{2}$/, 'needs codes such as "DE"')).default([]),
    endRound: z.boolean().default(true),
    reportUrl: Url.optional(),
    feePercent: percent,
  })
  .superRefine((provider, context) => {
    for (const [path, message] of incompleteIn(provider))
      context.addIssue({ code: 'custom', path: [path], message });
  });

/** The configuration of a game provider. */
export type GameProviderSettings = z.output<typeof Provider>;

type Given = Pick<GameProviderSettings, 'dialect' | 'secrets' | 'publicKeys' | 'privateKey' | 'currencies'>;

function incompleteIn({ dialect, secrets, publicKeys, privateKey, currencies }: Given): [string, string][] {
  const problems: [string, string][] = [];
  if (dialect === 'hub88') {
    if (publicKeys.length === 0) problems.push(['publicKeys', "needs the supplier's public key"]);
    if (!privateKey) problems.push(['privateKey', 'needs our private key']);
  } else if (secrets.length === 0) problems.push(['secrets', 'needs at least one secret']);
  for (const name of ['ours', 'code'] as const)
    if (new Set(currencies.map((currency) => currency[name])).size < currencies.length)
      problems.push(['currencies', `needs each \`${name}\` once`]);
  if (currencies.some(({ decimals }) => decimals > PLACES[dialect]))
    problems.push(['currencies', `needs at most ${PLACES[dialect]} decimals with the dialect ${dialect}`]);
  // Calls in this dialect omit the currency, so all currencies must use the same unit.
  if (dialect === 'pragmatic' && new Set(currencies.map(({ factor }) => Number(factor))).size > 1)
    problems.push(['currencies', 'needs one factor for all with the dialect pragmatic']);
  return problems;
}

const Providers = z
  .array(Provider)
  .max(50)
  .refine((all) => new Set(all.map(({ slug }) => slug)).size === all.length, 'needs each slug once');

/** Parses the providers. Errors contain the path of an invalid field, never its value. */
const providersIn = (text: string, context: z.RefinementCtx): GameProviderSettings[] => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'needs to be JSON' });
    return z.NEVER;
  }
  const parsed = Providers.safeParse(value);
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues.slice(0, 10))
    context.addIssue({ code: 'custom', message: `${path.join('.')}: ${message}`.replace(/^: /, '') });
  return z.NEVER;
};

export const gameProviders = {
  GAME_PROVIDERS: hidden(z.string().transform(providersIn).optional()).describe(
    'Game providers as a JSON list of `{ slug, name, prefix?, dialect, apiUrl, operatorId, secrets, publicKeys, privateKey, currencies, launchOrigins, blockedCountries?, endRound?, reportUrl?, feePercent? }`. ' +
      '`dialect`: `generic`, `hub88`, `softswiss` or `pragmatic`. `operatorId`: the id that the provider uses for this platform (operator_id, casino_id, secureLogin). ' +
      '`secrets`: the first signs requests to the provider; its calls may use any of them. `hub88` uses `publicKeys` (of the provider, PEM) and `privateKey` (of this platform, PEM) instead. ' +
      '`currencies`: `{ ours, code, factor, decimals }`, one unit of theirs is `factor` units of ours (default 1). `launchOrigins`: origins from which its games are loaded. ' +
      '`endRound`: false if `pragmatic` sends no end of round. `reportUrl`: URL of its transaction reports, if different from `apiUrl`. ' +
      '`feePercent`: its share of the revenue of its games, for net revenue (default 0). ' +
      'Default in `local` and `test`: the sandbox. Absent elsewhere: no provider games.',
  ),
};
