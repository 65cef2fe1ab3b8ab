import type { z } from 'zod';
import type { Broker } from '../../../platform/broker/broker.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config.ts';
import type { Logs } from '../../../platform/log.ts';
import { createOutbound } from '../../../platform/outbound.ts';
import type { Sessions } from '../../accounts/auth/sessions.ts';
import { UUID } from '../../accounts/auth/tokens.ts';
import type { Kyc } from '../../compliance/kyc/service.ts';
import type { Promo } from '../../engagement/promo/service.ts';
import type { OnConsumed } from '../../games/bets/consume.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { storeConsents, userConsents } from './consents.ts';
import { type CreditCall, type CreditDeps, creditBonus, creditFunds } from './credit.ts';
import { userBlocks, userDetails } from './details.ts';
import { crmErrors } from './errors.ts';
import { createKeyCheck } from './key.ts';
import { createDelivery, createRedelivery } from './outbound/deliver.ts';
import { createMinutes } from './outbound/minutes.ts';
import { backlog, begin, end } from './outbound/queries.ts';
import { NAMES } from './outbound/rules.ts';
import { createTake } from './outbound/take.ts';
import { purgeFunds } from './queries.ts';
import type { CrmBonusList, NewConsents, SessionOwner, SessionQuestion } from './schemas.ts';

export type Crm = ReturnType<typeof createCrm>;

type Deps = CreditDeps & {
  config: Config;
  log: Logs;
  clock: Clock;
  broker: Pick<Broker, 'purge'>;
  sessions: Pick<Sessions, 'standings'>;
  kyc: Pick<Kyc, 'identityOf'>;
  promo: Pick<Promo, 'grantable'>;
  currencies: Pick<Currencies, 'ids' | 'rateOf'>;
  onConsumed: OnConsumed;
};

/** The queue on the broker. */
const QUEUE = 'crm';
/** Minutes, most of them: a message of the broker waits for a database that is away. */
const MOST_ATTEMPTS = 100;

/** The customer relationship management: what it asks and credits, and, where it has an address, what it is told. */
export function createCrm(deps: Deps) {
  const { db, config } = deps;
  const origin = new URL(config.SITE_URL).host;
  return {
    isTold: config.CRM_URL !== undefined,
    checkKey: createKeyCheck(config),
    details: (userId: string) => userDetails({ ...deps, origin }, userId),
    blocks: (userId: string) => userBlocks(db, userId),
    consents: (userId: string) => userConsents(db, userId),
    storeConsents: (userId: string, body: z.output<typeof NewConsents>) => storeConsents(db, userId, body),
    creditBonus: (call: CreditCall) => creditBonus(deps, call),
    creditFunds: (call: CreditCall) => creditFunds(deps, call),

    /** Throws 401 SESSION_INVALID. */
    async authenticate({ sid }: z.output<typeof SessionQuestion>): Promise<z.input<typeof SessionOwner>> {
      const owner = UUID.test(sid) ? (await deps.sessions.standings([sid])).get(sid) : undefined;
      if (!owner) throw crmErrors.SESSION_INVALID();
      return { user_id: String(owner.userId) };
    },

    async bonusList(): Promise<z.input<typeof CrmBonusList>> {
      const promos = await deps.promo.grantable();
      return promos.map(({ id, name }) => ({ text: name, value: String(id) }));
    },

    purge: () => purgeFunds(db),
    ...createOutgoing(deps, origin),
  };
}

/** What is told, and what ends it where the CRM has no address. */
function createOutgoing(deps: Deps, origin: string) {
  const { db, config, broker } = deps;
  const log = deps.log.named('crm');
  const outbound = createOutbound({ name: 'crm', baseUrl: config.CRM_URL ?? '', log });
  return {
    /** Before anything happens that is to be told. */
    start: () => (config.CRM_URL === undefined ? undefined : begin(db)),
    subscription: {
      queue: QUEUE,
      patterns: NAMES,
      maxAttempts: MOST_ATTEMPTS,
      handle: createTake({ ...deps, origin }),
    },
    minutes: createMinutes({ ...deps, origin }),
    delivery: createDelivery({ ...deps, log, outbound, secret: config.CRM_SECRET }),
    redeliver: createRedelivery(db),
    backlog: () => backlog(db),

    /** A queue stays bound when nobody consumes it any more. */
    async end(): Promise<void> {
      await broker.purge(QUEUE);
      await end(db);
    },
  };
}
