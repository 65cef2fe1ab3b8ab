import type { z } from 'zod';
import { accounts } from './settings/accounts.ts';
import { bets } from './settings/bets.ts';
import { crm } from './settings/crm.ts';
import { database } from './settings/database.ts';
import { files } from './settings/files.ts';
import { gameProviders } from './settings/game-providers.ts';
import { identityProviders } from './settings/identity-providers.ts';
import { identityVerification } from './settings/identity-verification.ts';
import { mail } from './settings/mail.ts';
import { payments } from './settings/payments.ts';
import { rates } from './settings/rates.ts';
import { realtime } from './settings/realtime.ts';
import { retention } from './settings/retention.ts';
import { running } from './settings/running.ts';
import { speedRoulette } from './settings/speed-roulette.ts';
import { sportsbook } from './settings/sportsbook.ts';
import { traces } from './settings/traces.ts';
import { web } from './settings/web.ts';

/** The sections of `docs/reference/configuration.md`. That page is generated from them (`npm run docs`). */
export const sections = {
  Running: running,
  Database: database,
  Traces: traces,
  Retention: retention,
  Web: web,
  Realtime: realtime,
  Accounts: accounts,
  'Identity providers': identityProviders,
  Mail: mail,
  Files: files,
  Payments: payments,
  'Identity verification': identityVerification,
  'Games of suppliers': gameProviders,
  Rates: rates,
  Bets: bets,
  'Speed-roulette': speedRoulette,
  Sportsbook: sportsbook,
  CRM: crm,
} satisfies Record<string, Record<string, z.ZodType>>;

type Sections = typeof sections;
type AllOf<Section> = (Section extends unknown ? (section: Section) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** All settings of all sections by environment variable. `loadConfig` reads nothing else. */
export const settings = Object.assign({}, ...Object.values(sections)) as AllOf<Sections[keyof Sections]>;

/** The parsed values of the settings. */
export type Values = { [K in keyof typeof settings]: z.output<(typeof settings)[K]> };
