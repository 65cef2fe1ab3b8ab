import type { Foundation } from '../../app/foundation.ts';
import { areaOf, createAll, type MadeBy } from '../../http/module.ts';
import type { Base } from '../base/area.ts';
import type { Compliance } from '../compliance/area.ts';
import { apiKeys } from './api-keys/module.ts';
import { auth } from './auth/module.ts';
import type { ForNewAccounts } from './auth/service.ts';

type Before = Foundation & Base & Compliance & ForNewAccounts;

/** Sign-up and sign-in, sessions, passwords, second factors, identity providers, and API keys. */
const modules = [auth, apiKeys] as const;

export type Accounts = MadeBy<typeof modules>;

export const createAccounts = (before: Before): Accounts => createAll(modules, before);

export const accounts = areaOf<Before & Accounts>(modules);
