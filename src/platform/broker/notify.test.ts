import { brokerSuite, openWorld } from '../../../test/kit/processes/broker-suite.ts';

brokerSuite('PostgreSQL', () => openWorld());
