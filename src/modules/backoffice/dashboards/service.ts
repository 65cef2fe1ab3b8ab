import { sharedByKey } from '../../../platform/limits/shared-read.ts';

export type Dashboards = ReturnType<typeof createDashboards>;

/** Maximum number of cached responses. */
const MAX_SHARED = 500;

/** Shares a response between equal requests within `sharedMs`. */
export const createDashboards = ({ sharedMs }: { sharedMs: number }) => ({
  share: sharedByKey(sharedMs, MAX_SHARED),
});
