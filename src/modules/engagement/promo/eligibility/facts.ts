import type { DbOrTx } from '../../../../platform/db.ts';
import type { Countries } from '../../../compliance/countries/service.ts';
import type { Kyc } from '../../../compliance/kyc/service.ts';
import { wageredWithin } from '../../user-stats/service.ts';
import { type Person, readDeposited, readNeighbours, readPeople, sumsOf } from './queries.ts';
import type { Facts, Needs } from './rules.ts';

/** A player, and where their request comes from, if they have sent one. */
export type Applicant = { userId: number; ip?: string | undefined; userAgent?: string | undefined };

export type FactsDeps = { countries: Pick<Countries, 'countryOf'>; kyc: Pick<Kyc, 'statedCountryOf'> };

/** `country`: of the account, for what is not asked for by the player's own request. */
export type Known = Facts & { country: string | null };

/** What promotions are asked of players, by user id; unknown ids are missing. What no promotion needs is not read. */
export async function readFacts(
  db: DbOrTx,
  deps: FactsDeps,
  applicants: readonly Applicant[],
  needs: Needs,
): Promise<Map<number, Known>> {
  const ids = applicants.map(({ userId }) => userId);
  const people = new Map((await readPeople(db, ids)).map((person) => [person.userId, person]));
  const { depositWindows, turnoverWindows } = needs;
  const deposited = depositWindows.length > 0 ? await readDeposited(db, ids, depositWindows) : new Map();
  const wagered =
    turnoverWindows.length > 0 ? sumsOf(await wageredWithin(db, ids, turnoverWindows)) : new Map();
  const facts = new Map<number, Known>();
  for (const applicant of applicants) {
    const { userId } = applicant;
    const person = people.get(userId);
    if (!person) continue;
    facts.set(userId, {
      ...person,
      countries: await countriesOf(db, deps, applicant, person),
      depositedUsd: deposited.get(userId) ?? new Map(),
      wageredUsd: wagered.get(userId) ?? new Map(),
      ...(await neighboursOf(db, applicant, person, needs.onePerAddress)),
    });
  }
  return facts;
}

async function countriesOf(
  db: DbOrTx,
  { countries, kyc }: FactsDeps,
  { userId, ip }: Applicant,
  { country, registeredIn }: Person,
): Promise<string[]> {
  const here = ip === undefined ? null : countries.countryOf(ip);
  const known = [here, country, registeredIn, await kyc.statedCountryOf(db, userId)];
  return known.filter((code) => code !== null);
}

async function neighboursOf(
  db: DbOrTx,
  { userId, ip, userAgent }: Applicant,
  person: Person,
  promoIds: readonly bigint[],
): Promise<Pick<Facts, 'sharesAddress' | 'sharesDevice'>> {
  const addresses = [ip, person.registeredFrom].filter((address) => address != null);
  if (promoIds.length === 0 || addresses.length === 0)
    return { sharesAddress: new Set(), sharesDevice: new Set() };
  const userAgents = [userAgent, person.userAgent].filter((agent) => agent != null);
  const found = await readNeighbours(db, { userId, addresses, userAgents }, promoIds);
  return {
    sharesAddress: new Set(found.map(({ promoId }) => promoId)),
    sharesDevice: new Set(found.flatMap(({ promoId, isSameDevice }) => (isSameDevice ? [promoId] : []))),
  };
}
