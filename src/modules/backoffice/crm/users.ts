import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { object, text } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { UUID } from '../../accounts/auth/sessions/tokens.ts';
import { isErased } from '../../base/users/rules.ts';
import { userErrors } from '../../base/users/schemas.ts';
import { crmErrors } from './errors.ts';
import { type CrmDeps, CrmUserPath, excludedUntil, getCrmUser, keyed } from './key.ts';

const CrmSegmentation = object('CrmSegmentation', {
  vip_level: z.number().int(),
  kyc_level: z.number().int(),
});

/** Always contains every field. A field is empty if its value is unknown. */
const CrmUserDetails = object('CrmUserDetails', {
  user_id: z.string(),
  username: z.string(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  birth_date: z.string(),
  sex: z.string(),
  title: z.string(),
  address: z.string(),
  city: z.string(),
  postal_code: z.string(),
  country: z.string(),
  language: z.string(),
  currency: z.string(),
  mobile: z.string(),
  mobile_prefix: z.string(),
  origin: z.string().meta({ description: 'The host name of the site.' }),
  market: z.string(),
  roles: z.array(z.string()).meta({ description: 'STAFF or TEST; empty for players.' }),
  registration_date: z.string(),
  registration_code: z.string(),
  affiliate_reference: z.string(),
  verified_at: z.string().meta({ description: 'When the identity was approved.' }),
  deleted_at: z.string(),
  is_blocked: z.boolean(),
  is_excluded: z.boolean(),
  segmentation: CrmSegmentation,
});

const CrmBlock = object('CrmBlock', {
  type: z.enum(['Blocked', 'Excluded']),
  active: z.boolean(),
  note: z.string().meta({ description: 'When the exclusion ends.' }),
});

const SEXES = { MALE: 'Male', FEMALE: 'Female', OTHER: 'Other' } as const;

const { API_KEY_INVALID } = commonErrors;

export const authenticateSession = operation({
  ...keyed,
  tag: 'external-auth for a marketing integration',
  method: 'POST',
  path: '/external-auth/authenticate',
  gate: 'none',
  summary: 'Get the owner of a session',
  body: z.strictObject({
    sid: text(64).min(1).meta({ description: 'The id of a session, as returned by GET /session.' }),
  }),
  status: 200,
  response: z.object({ user_id: z.string() }),
  errors: [API_KEY_INVALID, crmErrors.SESSION_INVALID],
  handler: async ({ sessions }: CrmDeps, { body: { sid } }) => {
    const owner = UUID.test(sid) ? (await sessions.standings([sid])).get(sid) : undefined;
    if (!owner) throw crmErrors.SESSION_INVALID();
    return { user_id: String(owner.userId) };
  },
});

const ofUser = {
  ...keyed,
  method: 'GET',
  params: CrmUserPath,
  errors: [API_KEY_INVALID, userErrors.USER_NOT_FOUND],
} as const;

export const getUserDetails = operation({
  ...ofUser,
  path: '/marketing/userdetails/{userId}',
  summary: "Get a user's details",
  response: CrmUserDetails,
  handler: async ({ db, kyc, config }: CrmDeps, { params }) => {
    const user = await getCrmUser(db, params.userId);
    const [{ person, approvedAt }, until] = await Promise.all([
      kyc.identityOf(user.id),
      excludedUntil(db, user.id),
    ]);
    return {
      user_id: String(user.id),
      username: user.username ?? '',
      email: user.email ?? '',
      first_name: person?.firstName ?? '',
      last_name: person?.lastName ?? '',
      birth_date: person?.birthDate ?? '',
      sex: person?.gender ? SEXES[person.gender] : '',
      title: '',
      address: person?.address ?? '',
      city: person?.city ?? '',
      postal_code: person?.postalCode ?? '',
      country: user.country_code ?? '',
      language: user.language ?? '',
      currency: '',
      mobile: person?.phone ?? '',
      mobile_prefix: person?.phonePrefix ?? '',
      origin: new URL(config.SITE_URL).host,
      market: '',
      roles: [...(user.is_staff ? ['STAFF'] : []), ...(user.is_test ? ['TEST'] : [])],
      registration_date: iso(user.created_at),
      registration_code: '',
      affiliate_reference: user.affiliate_code ?? '',
      verified_at: approvedAt ? iso(approvedAt) : '',
      deleted_at: isErased(user) ? iso(user.updated_at) : '',
      is_blocked: user.banned_at !== null,
      is_excluded: until !== null,
      segmentation: { vip_level: user.vip_level, kyc_level: user.kyc_level },
    };
  },
});

/** Always returns both blocks. The reason for a ban is confidential and is not returned. */
export const getUserBlocks = operation({
  ...ofUser,
  path: '/marketing/userblocks/{userId}',
  summary: 'Check whether a user is banned or self-excluded',
  response: z.object({ blocks: z.array(CrmBlock) }),
  handler: async ({ db }: CrmDeps, { params }) => {
    const user = await getCrmUser(db, params.userId);
    const until = await excludedUntil(db, user.id);
    return {
      blocks: [
        { type: 'Blocked' as const, active: user.banned_at !== null, note: '' },
        { type: 'Excluded' as const, active: until !== null, note: until ? iso(until) : '' },
      ],
    };
  },
});
