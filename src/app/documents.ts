import { existsSync, readFileSync } from 'node:fs';
import type { DocumentInfo, Link } from '../http/docs/pages.ts';
import type { Config } from '../platform/config/config.ts';
import { DECLARATIONS } from './areas.ts';

/** Returns the introduction of a part's OpenAPI document, with the getting-started text if the part has one. */
export function documentInfo(
  { name, title, description }: { name: string; title: string; description: string },
  { isDevelopment }: Pick<Config, 'isDevelopment'>,
): DocumentInfo {
  const file = new URL(`introductions/${name}.md`, import.meta.url);
  if (!existsSync(file)) return { title, description, tags: DECLARATIONS.tags };
  const text = readFileSync(file, 'utf8');
  const told = isDevelopment
    ? text.replace(/<!-- \/?development -->\n/g, '')
    : text.replace(/<!-- development -->\n[\s\S]*?<!-- \/development -->\n/g, '');
  return { title, description: told, tags: DECLARATIONS.tags };
}

/** Returns links to the other parts and the sandbox on a developer's machine. Other environments do not publish these links. */
export function neighbours({ PORT, BACKOFFICE_PORT, SANDBOX_PORT }: Config): Link[] {
  const at = (port: number, path = '/') => `http://127.0.0.1:${port}${path}`;
  return [
    { name: 'main API', url: at(PORT), about: 'operations for players and staff' },
    { name: 'backoffice', url: at(BACKOFFICE_PORT), about: 'operations for staff' },
    { name: 'sandbox', url: at(SANDBOX_PORT), about: 'simulates external services' },
    { name: 'inbox', url: at(SANDBOX_PORT, '/inbox'), about: 'all mails that the platform sends' },
    {
      name: 'site',
      url: at(SANDBOX_PORT, '/site/'),
      about: 'a minimal front end whose source shows how to use the API',
    },
  ];
}
