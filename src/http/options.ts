import type { Config } from '../platform/config.ts';
import type { HistoryReads } from '../platform/history-reads.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { ApiKeyCheck, Audit, Authenticator, StepUp } from './access.ts';
import type { AsyncApi } from './asyncapi.ts';
import type { ReadFile } from './files.ts';
import type { DocumentInfo, Link, StaticPage } from './pages.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { Route } from './route.ts';
import type { WebApp, WebOrigins } from './web-apps.ts';

/** Everything needed to build one HTTP service. */
export type AppOptions = {
  /** The name of this service, for the audit log. */
  name: string;
  title: string;
  description: string;
  /** Returns the introduction of the OpenAPI document. Called when the document is first read. */
  document: () => DocumentInfo;
  routes: readonly Route[];
  config: Config;
  log: Log;
  metrics: Metrics;
  limiter: RateLimiter;
  /** Runs the handlers of routes with `isHistory`, which only read. */
  histories: HistoryReads;
  auth: Authenticator;
  apiKeys: ApiKeyCheck;
  audit: Audit;
  /** Verifies the second factor on routes with `stepUp: true`. */
  stepUp: StepUp;
  /** Reads the files of GET /files. Absent if another server serves them. */
  files?: ReadFile | undefined;
  /** The socket protocol, for GET /asyncapi.json and the page /docs/events. Absent if this service does not publish it. */
  sockets?: (() => AsyncApi) | undefined;
  /** Static pages. They are not part of the OpenAPI document. */
  pages: readonly StaticPage[];
  /** Single-page applications, and the origins that they may contact. */
  web?: { apps: readonly WebApp[]; origins: WebOrigins } | undefined;
  /** Additional links on the page GET /. */
  links?: readonly Link[];
  /** Once true, responses close their connection, so that the client's next request reaches another process. */
  isStopping: () => boolean;
  isUnavailable: (error: unknown) => boolean;
  /** Returns true if a database outage has already been reported. Requests that fail because of it are then not logged again. */
  isOutage?: () => boolean;
  /** Verifies the header x-captcha-token on routes with `captcha`. Throws if it is invalid. */
  captcha: (token: string | undefined, ip: string) => Promise<void>;
};
