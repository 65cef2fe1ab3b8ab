import { defineModule } from '../../../http/module.ts';
import type { SiteConfig } from './service.ts';
import {
  changeSettings,
  changeSettingsInBackoffice,
  getPublicSettings,
  getSettings,
  type SiteConfigDeps,
} from './settings.ts';

type Deps = SiteConfigDeps & { siteConfig: Pick<SiteConfig, 'start' | 'close'> };

export const siteConfig = defineModule<Deps>({
  name: 'site-config',
  operations: [getPublicSettings, getSettings, changeSettings],
  backoffice: { operations: [changeSettingsInBackoffice], without: '', tag: 'Config' },
  start: ({ siteConfig }) => siteConfig.start(),
  close: ({ siteConfig }) => siteConfig.close(),
});
