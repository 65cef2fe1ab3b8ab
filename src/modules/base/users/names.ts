import { userErrors } from './errors.ts';
import { skeletonOf } from './rules.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Names by which programs, logs and pages mean something else than a user: nobody has one of them, whoever gives it. */
const TECHNICAL = words(`
  __proto__ constructor prototype toString valueOf hasOwnProperty toLocaleString isPrototypeOf
  __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ propertyIsEnumerable null
  undefined NaN true false none nil void object me self user users guest anonymous anon nobody unknown
  everyone all incognito hidden private deleted erased banned test example api www login
`);

/** What staff is called: believed also as a part of a name (`bob_admin`). */
const STAFF = words(`
  admin admins administrator administration sysadmin superadmin superuser mod mods moderator
  moderators moderation support helpdesk customerservice customercare staff official officials
  croupier management compliance postmaster webmaster hostmaster
`);
/** What the house itself is called: believed when nothing else stands beside it. */
const HOUSE = words(`
  root system sysop operator daemon server security abuse noreply billing payments payouts cashier
  casino bot backoffice incognito dealer house
`);
/** They say nothing alone, and make no official name a player's: `support_team`, `the_admin`. */
const FILLERS = words(`
  team the real help desk service account chat live vip site
`);

/** A shorter brand is a word that players may have within their names. */
const BRAND_WITHIN = 5;

/** Beside what looks alike: digits that are read as letters. */
const DIGITS: Readonly<Record<string, string>> = { '3': 'e', '4': 'a', '6': 'g', '7': 't', '9': 'g' };

const read = (text: string): string =>
  skeletonOf(text.replace(/[^A-Za-z0-9]/g, '')).replace(/[34679]/g, (digit) => DIGITS[digit]!);
/** As a word, and as one that has a number behind it: `r00t`, `admin1`, `support_24`. */
const readings = (text: string): string[] => [read(text), read(text.replace(/[\d_]+$/, ''))];

const technical = new Set(TECHNICAL.map(read));
const staff = new Set(STAFF.map(read));
const house = new Set(HOUSE.map(read));
const madeOfWords = new RegExp(`^(?:${[...STAFF, ...HOUSE, ...FILLERS].map(read).join('|')})+$`);
const hasStaff = new RegExp([...staff].join('|'));

/** Whether a name belongs to the machinery, to the house and its brand, or (undefined) to whoever takes it first. */
export function reservedAs(username: string, brand: string): 'technical' | 'official' | undefined {
  const whole = readings(username);
  if (technical.has(whole[0]!)) return 'technical';
  const parts = username.split('_').flatMap(readings);
  const brandName = read(brand);
  const isBrand =
    brandName.length >= BRAND_WITHIN
      ? whole[0]!.includes(brandName)
      : brandName !== '' && parts.includes(brandName);
  const isOfficial =
    whole.some((name) => house.has(name) || (madeOfWords.test(name) && hasStaff.test(name))) ||
    parts.some((part) => staff.has(part));
  return isBrand || isOfficial ? 'official' : undefined;
}

/**
 * Every name that somebody gets passes here, whoever gives it. A superadmin (`isByHouse`) may give an official one, so that staff can
 * be called by it; nobody gives a technical one. Throws 409 USERNAME_RESERVED.
 */
export function assertNameMayBeTaken(
  username: string,
  { brand, isByHouse = false }: { brand: string; isByHouse?: boolean | undefined },
): void {
  const kind = reservedAs(username, brand);
  if (kind === 'technical' || (kind === 'official' && !isByHouse)) throw userErrors.USERNAME_RESERVED();
}
