import { defineModule } from '../../../http/module.ts';
import { siteEvents } from './schemas.ts';
import { createSiteConfig, type SiteConfig } from './service.ts';
import {
  changeSettings,
  changeSettingsInBackoffice,
  getPublicSettings,
  getSettings,
  type SiteConfigDeps,
} from './settings.ts';

type Deps = SiteConfigDeps & { siteConfig: Pick<SiteConfig, 'start' | 'close'> };

export const siteConfig = defineModule({
  name: 'site-config',
  tags: {
    'Admin Core': 'Site settings with their history, and log levels.',
    Config: 'Site settings.',
  },
  events: siteEvents,
  create: (before: Parameters<typeof createSiteConfig>[0]) => ({ siteConfig: createSiteConfig(before) }),
  operations: [getPublicSettings, getSettings, changeSettings],
  backoffice: { operations: [changeSettingsInBackoffice], without: '', tag: 'Config' },
  start: ({ siteConfig }: Deps) => siteConfig.start(),
  close: ({ siteConfig }: Deps) => siteConfig.close(),
});
