import { sql } from 'kysely';
import type { DbOrTx } from '../../../platform/database/db.ts';
import { skeletonOf } from './rules.ts';
import { userErrors } from './schemas.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Names that have a technical meaning in programs, logs and pages. No user can have them. */
const TECHNICAL = words(`
  __proto__ constructor prototype toString valueOf hasOwnProperty toLocaleString isPrototypeOf
  __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ propertyIsEnumerable null
  undefined NaN true false none nil void object me self user users guest anonymous anon nobody unknown
  everyone all incognito hidden private deleted erased banned test example api www login
`);

/** Staff titles. A name is reserved if any of its words is in this list: `bob_admin`, `AdminAnna`. */
const STAFF = words(`
  admin admins administrator administration sysadmin superadmin superuser mod mods moderator
  moderators moderation support helpdesk customerservice customercare customersupport techsupport staff
  official officials croupier management compliance postmaster webmaster hostmaster
  ceo cto cfo founder cofounder
`);
/** Words for the platform and its departments. A name is reserved if all its words are in these lists. */
const HOUSE = words(`
  root system sysop operator daemon server security abuse noreply billing payments payouts cashier
  casino bot backoffice incognito dealer house payout payment withdraw withdrawal withdrawals deposits refunds manager managers
  owner owners officer officers supervisor director aml fraud
`);
/**
 * Staff roles. A name that contains one of them is reserved if all its other words refer to the platform (`vip_manager`, `payout_team`).
 */
const ROLES = words(`
  agent agents host hosts representative finance kyc verification bonus bonuses refund deposit
  customer customers tech technical risk
`);
/** Words that can be part of an official name: `support_team`, `the_admin`. They are not reserved by themselves. */
const FILLERS = words(`
  team the real help desk service account accounts chat live vip site player players department
  dept head of chief online
`);

/**
 * A brand name of at least this length is found anywhere in a username. A shorter one could be part of other words, so only whole words
 * match it.
 */
const BRAND_WITHIN = 5;

/** Digits that are read as letters, in addition to the look-alike characters. */
const DIGITS: Readonly<Record<string, string>> = { '3': 'e', '4': 'a', '6': 'g', '7': 't', '9': 'g' };

const read = (text: string): string =>
  skeletonOf(text.replace(/[^A-Za-z0-9]/g, '')).replace(/[34679]/g, (digit) => DIGITS[digit]!);
/** Returns two readings of a word, one with and one without the number at its end: `r00t`, `admin1`, `support_24`. */
const readings = (text: string): string[] => [read(text), read(text.replace(/[\d_]+$/, ''))];

/** Splits a name at underscores and at capital letters: `AdminAnna`, `theCEO`, `CEOAnna`, `CEOanna`. */
const partsOf = (username: string): string[] =>
  username
    .split('_')
    .flatMap((part) => [
      part,
      ...(part.match(/[A-Z]+(?=[A-Z][a-z0-9])|[A-Z]?[a-z0-9]+|[A-Z0-9]+/g) ?? []),
      ...(part.match(/[A-Z]{2,}|[a-z0-9]+/g) ?? []),
    ]);

const technical = new Set(TECHNICAL.map(read));
const staff = new Set(STAFF.map(read));
const house = new Set(HOUSE.map(read));
const roles = new Set(ROLES.map(read));
const madeOfWords = new RegExp(`^(?:${[...STAFF, ...HOUSE, ...ROLES, ...FILLERS].map(read).join('|')})+$`);
const hasRole = new RegExp([...staff, ...house, ...roles].join('|'));

/** Returns whether a name is technical, official (refers to the platform or its brand), or free (undefined). */
export function reservedAs(username: string, brand: string): 'technical' | 'official' | undefined {
  const whole = readings(username);
  if (technical.has(whole[0]!)) return 'technical';
  const parts = partsOf(username).flatMap(readings);
  const brandName = read(brand);
  const isBrand =
    brandName.length >= BRAND_WITHIN
      ? whole[0]!.includes(brandName)
      : brandName !== '' && parts.includes(brandName);
  const isOfficial =
    whole.some(
      (name) => house.has(name) || (madeOfWords.test(name) && hasRole.test(name) && !roles.has(name)),
    ) || parts.some((part) => staff.has(part));
  return isBrand || isOfficial ? 'official' : undefined;
}

/**
 * Checks every new username. A superadmin (`isByHouse`) may assign official names to staff. Technical names are always rejected. Throws 409
 * USERNAME_RESERVED.
 */
export function assertNameMayBeTaken(
  username: string,
  { brand, isByHouse = false }: { brand: string; isByHouse?: boolean | undefined },
): void {
  const kind = reservedAs(username, brand);
  if (kind === 'technical' || (kind === 'official' && !isByHouse)) throw userErrors.USERNAME_RESERVED();
}

/**
 * Throws 409 USERNAME_RESERVED if the name differs from a staff member's name only in separators, as `bigboss` differs from `big_boss`.
 * Identical and look-alike names are already rejected by the unique key on names. `ownerId`: the user who gets the name.
 */
export async function assertNotOfStaff(
  db: DbOrTx,
  { username, ownerId = null }: { username: string; ownerId?: number | null },
): Promise<void> {
  const { rows } = await sql`select from users where is_staff
    and replace(username_skeleton, '_', '') = ${skeletonOf(username.replaceAll('_', ''))}
    and username_skeleton <> ${skeletonOf(username)}
    and id is distinct from ${ownerId}::int4 limit 1`.execute(db);
  if (rows.length > 0) throw userErrors.USERNAME_RESERVED();
}
