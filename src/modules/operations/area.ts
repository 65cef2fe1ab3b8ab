import type { Foundation } from '../../app/foundation.ts';
import { areaOf, createAll, type MadeBy } from '../../http/module.ts';
import type { Accounts } from '../accounts/area.ts';
import type { Backoffice } from '../backoffice/area.ts';
import type { Base } from '../base/area.ts';
import type { Compliance } from '../compliance/area.ts';
import type { Engagement } from '../engagement/area.ts';
import type { Games } from '../games/area.ts';
import type { Money } from '../money/area.ts';
import { backups } from './backups/module.ts';
import { debug } from './debug/module.ts';
import { feed } from './feed/module.ts';
import { health } from './health/module.ts';
import { logLevels } from './log-levels/module.ts';
import { partitions } from './partitions/module.ts';
import { queueDebug } from './queue-debug/module.ts';
import { relay } from './relay/module.ts';

type Before = Foundation & Base & Compliance & Accounts & Money & Games & Engagement & Backoffice;

/** Health, log levels, partitions, the event relay and the realtime feed. */
const modules = [health, logLevels, debug, queueDebug, partitions, relay, feed, backups] as const;

export type Operations = MadeBy<typeof modules>;

export const createOperations = (before: Before): Operations => createAll(modules, before);

export const operations = areaOf<Before & Operations>(modules);
