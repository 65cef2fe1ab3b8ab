import type { Job } from '../../platform/jobs.ts';
import type { Relay } from './service.ts';

export const relayJobs = (relay: Relay): Job[] => [
  { name: 'events.relay', everyMs: 200, run: () => relay.turn() },
];
