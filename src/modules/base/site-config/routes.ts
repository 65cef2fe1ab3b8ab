import { route } from '../../../http/route.ts';
import { ConfigFields, PublicConfigPath } from './schemas.ts';
import type { SiteConfig } from './service.ts';

export const siteConfigRoutes = (siteConfig: SiteConfig) => [
  route({
    method: 'GET',
    path: '/config/{code}',
    tag: 'Core',
    access: 'anonymous',
    summary: 'Public settings of the site',
    params: PublicConfigPath,
    response: ConfigFields,
    handler: ({ params }) => siteConfig.publicView(params.code),
  }),
];
