import type { Config } from '../../platform/config/config.ts';
import type { HistoryReads } from '../../platform/database/replica/history-reads.ts';
import type { Log } from '../../platform/observability/log.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import type { ApiKeyCheck, Audit, Authenticator, StepUp } from '../access.ts';
import type { ReadFile } from '../content/files.ts';
import type { WebPages } from '../content/web-apps.ts';
import type { AsyncApi } from '../docs/asyncapi.ts';
import type { DocumentInfo, Link, StaticPage } from '../docs/pages.ts';
import type { Route } from '../route.ts';
import type { RateLimiter } from './rate-limit.ts';

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
  /** Reads the files for GET /files. Absent if another server serves the files. */
  files?: ReadFile | undefined;
  /** The socket protocol, for GET /asyncapi.json and the page /docs/events. Absent if this service does not publish it. */
  sockets?: (() => AsyncApi) | undefined;
  /** Static pages. They are not part of the OpenAPI document. */
  pages: readonly StaticPage[];
  /** Single-page applications, the origins that they may contact, and the brand that they show. */
  web?: WebPages | undefined;
  /** The folder of the built documentation site, for a service that serves it. */
  site?: string | undefined;
  /** Additional links on the page GET /. */
  links?: readonly Link[];
  /**
   * Returns true while the process shuts down. Responses then close their connection, so that the client's next request reaches another
   * process.
   */
  isStopping: () => boolean;
  isUnavailable: (error: unknown) => boolean;
  /** Returns true if a database outage has already been reported. Requests that fail because of this outage are then not logged. */
  isOutage?: () => boolean;
  /** Verifies the header x-captcha-token on routes with `captcha`. Throws if it is invalid. */
  captcha: (token: string | undefined, ip: string) => Promise<void>;
};
