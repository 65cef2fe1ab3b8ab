import type { Foundation } from '../../app/foundation.ts';
import { areaOf, createAll, type MadeBy } from '../../http/module.ts';
import type { Base } from '../base/area.ts';
import { countries, playerCountries } from './countries/module.ts';
import { gate } from './gate/module.ts';
import { kyc } from './kyc/module.ts';
import type { KycOptions } from './kyc/service.ts';
import type { LimitDeps } from './limits/limits.ts';
import { limits } from './limits/module.ts';

/** Functions from areas that are created after this one. */
type Handed = Omit<LimitDeps, 'db'> & Pick<KycOptions, 'requiredFor' | 'onApproved'>;
type Before = Foundation & Base & Handed;

/** Legal and licence rules: countries, the gate, identity checks and limits. */
const modules = [countries, limits, kyc, playerCountries, gate] as const;

export type Compliance = MadeBy<typeof modules>;

export const createCompliance = (before: Before): Compliance => createAll(modules, before);

export const compliance = areaOf<Foundation & Base & Compliance, Before & Compliance>(modules);
