import { route } from '../../../http/route.ts';
import { CONFIGS, ConfigChange, ConfigFields, ConfigPath } from './schemas.ts';
import type { SiteConfig } from './service.ts';

const FIELDS = Object.entries(CONFIGS)
  .map(
    ([code, { shape }]) =>
      `- ${code}: ${Object.keys(shape)
        .map((name) => `\`${name}\``)
        .join(', ')}`,
  )
  .join('\n');
const description = `Changes the fields that are named and answers all of them. Every process follows within a second. Fields by code:\n\n${FIELDS}`;

export const siteConfigStaffRoutes = (siteConfig: SiteConfig) => [
  route({
    method: 'PATCH',
    path: '/admin/config/{code}',
    tag: 'Admin Core',
    access: 'superadmin',
    gate: 'none',
    stepUp: true,
    summary: 'Change settings of the site',
    description,
    params: ConfigPath,
    body: ConfigFields,
    response: ConfigFields,
    handler: ({ by, params, body }) => siteConfig.change(by, params.code, body),
  }),
];

export const siteConfigBackofficeRoutes = (siteConfig: SiteConfig) => [
  route({
    method: 'PUT',
    path: '/config',
    tag: 'Config',
    access: 'superadmin',
    gate: 'none',
    stepUp: true,
    summary: 'Change settings of the site',
    description,
    body: ConfigChange,
    response: ConfigFields,
    handler: ({ by, body }) => siteConfig.change(by, body.code, body.config),
  }),
];
