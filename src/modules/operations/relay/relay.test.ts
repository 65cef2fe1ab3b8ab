import { openWorld } from '../../../../test/kit/processes/broker-suite.ts';
import { relaySuite } from '../../../../test/kit/processes/relay-suite.ts';

relaySuite('PostgreSQL', () => openWorld());
