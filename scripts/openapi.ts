/**
 * Generates docs/openapi/{main,backoffice}.json and docs/asyncapi.json. They contain the public contract, so that every change to it is
 * visible in a review.
 */
import { PARTS, type PartName } from '../src/app/apps.ts';
import { socketDocument } from '../src/app/asyncapi.ts';
import { documentInfo } from '../src/app/documents.ts';
import type { Services } from '../src/app/services.ts';
import { openApi } from '../src/http/docs/openapi.ts';
import { loadConfig } from '../src/platform/config/config.ts';

const FILES: Readonly<Record<string, PartName>> = { main: 'api', backoffice: 'backoffice' };

/** Returns the documents by file name, with the routes of a development environment. It reads the routes without starting a service. */
export function documents(): Record<string, string> {
  const services = { config: loadConfig({ APP_ENV: 'test' }) } as Services;
  return Object.fromEntries(
    Object.entries(FILES).map(([file, name]) => {
      const { routes, title, description } = PARTS[name];
      const info = documentInfo({ name, title, description }, services.config);
      return [`${file}.json`, `${JSON.stringify(openApi(info, routes(services)), null, 1)}\n`];
    }),
  );
}

/** Returns the documents and the socket document by path. */
export const pages = (): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(documents()).map(([name, text]) => [`docs/openapi/${name}`, text])),
  'docs/asyncapi.json': `${JSON.stringify(socketDocument(), null, 1)}\n`,
});
