import type { Foundation } from '../../app/foundation.ts';
import { areaOf, createAll, type MadeBy } from '../../http/module.ts';
import type { Accounts } from '../accounts/area.ts';
import type { Base } from '../base/area.ts';
import type { Compliance } from '../compliance/area.ts';
import { bonus } from './bonus/module.ts';
import { currencies } from './currencies/module.ts';
import { ledger } from './ledger/module.ts';
import { deposits } from './payments/deposits/module.ts';
import { type ForPayments, payments } from './payments/module.ts';
import { depositReviews } from './payments/reviews/module.ts';
import type { RolloverDeps } from './payments/rollover/service.ts';
import { withdrawals } from './payments/withdrawals/module.ts';
import { skins } from './skins/module.ts';
import { wallet } from './wallet/module.ts';

type Before = Foundation & Base & Compliance & Accounts & RolloverDeps & ForPayments;

/** The ledger and all modules that move money, except bets: wallets, bonus money, deposits and withdrawals. */
const modules = [
  ledger,
  currencies,
  wallet,
  bonus,
  payments,
  deposits,
  depositReviews,
  skins,
  withdrawals,
] as const;

export type Money = MadeBy<typeof modules>;

export const createMoney = (before: Before): Money => createAll(modules, before);

export const money = areaOf<Foundation & Base & Compliance & Accounts & Money, Before & Money>(modules);
