import { type Area, gather } from '../http/module.ts';
import { type Accounts, accounts } from '../modules/accounts/area.ts';
import { type Backoffice, backoffice } from '../modules/backoffice/area.ts';
import { type Base, base } from '../modules/base/area.ts';
import { type Compliance, compliance } from '../modules/compliance/area.ts';
import { type Engagement, engagement } from '../modules/engagement/area.ts';
import { type Games, games } from '../modules/games/area.ts';
import { type Money, money } from '../modules/money/area.ts';
import { type Operations, operations } from '../modules/operations/area.ts';
import type { Foundation } from './foundation.ts';

/** The services of all areas, by name. */
export type Offered = Base & Compliance & Accounts & Money & Games & Engagement & Backoffice & Operations;

/** The areas in dependency order. Each area may use the areas before it. */
export const AREAS: readonly Required<Area<Foundation & Offered>>[] = [
  base,
  compliance,
  accounts,
  money,
  games,
  engagement,
  backoffice,
  operations,
];

/** The combined declarations of all modules. */
export const DECLARATIONS = gather(AREAS.map(({ declarations }) => declarations));
