import { openWorld } from '../../../../test/kit/broker-suite.ts';
import { relaySuite } from '../../../../test/kit/relay-suite.ts';

relaySuite('PostgreSQL', () => openWorld());
