import type { Config } from '../platform/config.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { ApiKeyCheck, Audit, Authenticator, StepUp } from './access.ts';
import type { AsyncApi } from './asyncapi.ts';
import type { ReadFile } from './files.ts';
import type { DocumentInfo, Link, StaticPage } from './pages.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { Route } from './route.ts';
import type { WebApp, WebOrigins } from './web-apps.ts';

/** Everything that one HTTP service is made of. */
export type AppOptions = {
  /** Which service this is, for the audit. */
  name: string;
  title: string;
  description: string;
  /** What the OpenAPI document begins with; made when the document is first read. */
  document: () => DocumentInfo;
  routes: readonly Route[];
  config: Config;
  log: Log;
  metrics: Metrics;
  limiter: RateLimiter;
  auth: Authenticator;
  apiKeys: ApiKeyCheck;
  audit: Audit;
  /** The second factor of routes with `stepUp: true`. */
  stepUp: StepUp;
  /** What GET /files answers; absent where another server does it. */
  files?: ReadFile | undefined;
  /** What sockets say, for GET /asyncapi.json and the page /docs/events; absent where nobody asks for it. */
  sockets?: (() => AsyncApi) | undefined;
  /** Pages beside the operations: they stand in no document. */
  pages: readonly StaticPage[];
  /** Applications of one page, and whom they may ask. */
  web?: { apps: readonly WebApp[]; origins: WebOrigins } | undefined;
  /** Where GET / leads beside what this service has itself. */
  links?: readonly Link[];
  /** Once true, answers close their connection: the client's next one reaches a process that stays. */
  isStopping: () => boolean;
  isUnavailable: (error: unknown) => boolean;
  /** An outage of the database was told already: requests that fail of it are no news. */
  isOutage?: () => boolean;
  /** Checks the header x-captcha-token of routes with `captcha`; throws when it is not good. */
  captcha: (token: string | undefined, ip: string) => Promise<void>;
};
