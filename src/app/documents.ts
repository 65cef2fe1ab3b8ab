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

/** Returns links to the other parts and the sandbox of a developer's machine. Other environments do not publish these links. */
export function neighbours({ PORT, BACKOFFICE_PORT, SANDBOX_PORT }: Config): Link[] {
  const at = (port: number, path = '/') => `http://127.0.0.1:${port}${path}`;
  return [
    { name: 'main API', url: at(PORT), about: 'the service of players and administration' },
    { name: 'backoffice', url: at(BACKOFFICE_PORT), about: 'the service of staff' },
    { name: 'sandbox', url: at(SANDBOX_PORT), about: 'stands in for the world outside' },
    { name: 'inbox', url: at(SANDBOX_PORT, '/inbox'), about: 'every mail that the platform sends' },
    {
      name: 'site',
      url: at(SANDBOX_PORT, '/site/'),
      about: 'the smallest front end: its source shows the API',
    },
  ];
}
