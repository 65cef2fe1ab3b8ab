import type { Audit } from './service.ts';

/** Ten minutes after an hour at the latest, the audit has what was refused in it to people who are not staff. */
export const auditJobs = (audit: Audit) => [
  { name: 'audit.refusals', everyMs: 600_000, run: audit.enterRefusals },
];
