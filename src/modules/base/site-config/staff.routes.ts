import { route } from '../../../http/route.ts';
import { SECTIONS } from './rewards/schemas.ts';
import { CONFIGS, ConfigChange, ConfigFields, ConfigPath, SiteSettings } from './schemas.ts';
import type { SiteConfig } from './service.ts';

const namesIn = (fields: object) =>
  Object.keys(fields)
    .map((name) => `\`${name}\``)
    .join(', ');
const FIELDS = Object.entries(CONFIGS)
  .map(([code, { shape }]) => `- ${code}: ${namesIn(shape)}`)
  .join('\n');
const changing = {
  access: 'superadmin',
  gate: 'none',
  stepUp: true,
  summary: 'Change settings of the site',
  description: `Changes the fields that are named and answers all of them. Of the sections of COMMON (${namesIn(SECTIONS)}) the fields that are named, too; lists and maps are replaced whole. Every process follows within a second. Fields by code:\n\n${FIELDS}`,
  response: ConfigFields,
} as const;

export const siteConfigStaffRoutes = (siteConfig: SiteConfig) => [
  route({
    method: 'GET',
    path: '/admin/config/{code}',
    tag: 'Admin Core',
    access: 'superadmin',
    summary: 'Settings of the site as they hold, and who changed what',
    description: 'Of each change the fields that differ from the version before it. The newest 50 are there.',
    params: ConfigPath,
    response: SiteSettings,
    handler: ({ by, params }) => siteConfig.show(by, params.code),
  }),
  route({
    ...changing,
    method: 'PATCH',
    path: '/admin/config/{code}',
    tag: 'Admin Core',
    params: ConfigPath,
    body: ConfigFields,
    handler: ({ by, params, body }) => siteConfig.change(by, params.code, body),
  }),
];

export const siteConfigBackofficeRoutes = (siteConfig: SiteConfig) => [
  route({
    ...changing,
    method: 'PUT',
    path: '/config',
    tag: 'Config',
    body: ConfigChange,
    handler: ({ by, body }) => siteConfig.change(by, body.code, body.config),
  }),
];
