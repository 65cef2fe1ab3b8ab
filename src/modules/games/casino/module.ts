import { defineModule } from '../../../http/module.ts';
import type { Config } from '../../../platform/config/config.ts';
import { whileStarting } from '../../../platform/database/while-starting.ts';
import type { Logs } from '../../../platform/observability/log.ts';
import { changeCommissionRule, createCommissionRule, removeCommissionRule } from './change-commission.ts';
import { changeGame, changeGames, setTags } from './change-game.ts';
import { getCover } from './cover.ts';
import {
  addFavorite,
  getGame,
  getMainPage,
  listFavorites,
  listGames,
  listProviders,
  removeFavorite,
} from './games.ts';
import { addGameImage, addProviderImage, removeGameImages, removeProviderImages } from './images.ts';
import { HYDRATE_JOB, type Hydration } from './import.ts';
import { getCommissionRule, getEffectiveCommission, listCommissionRules } from './list-commission.ts';
import { listSections, setSection } from './main-page.ts';
import { changeProvider, getProvider, importGames, listAllProviders } from './providers.ts';
import {
  getGamePublicly,
  getMainPagePublicly,
  listCategories,
  listGamesPublicly,
  listProvidersPublicly,
} from './public.ts';
import { type CasinoDeps, createCasino, type Suppliers } from './service.ts';
import { getGameAsStaff, listAllGames } from './staff-games.ts';

type Services = CasinoDeps & { hydration: Hydration; gameProviders: Suppliers; log: Logs; config: Config };

export const casino = defineModule({
  name: 'casino',
  create: createCasino,
  operations: [
    ...[listGames, getMainPage, listProviders, listFavorites, addFavorite, removeFavorite, getGame],
    ...[
      listGamesPublicly,
      getMainPagePublicly,
      listCategories,
      listProvidersPublicly,
      getGamePublicly,
      getCover,
    ],
    ...[listAllGames, getGameAsStaff, changeGame, setTags, changeGames],
    ...[addGameImage, removeGameImages, addProviderImage, removeProviderImages],
    ...[listAllProviders, getProvider, changeProvider, listSections, setSection, importGames],
    ...[createCommissionRule, changeCommissionRule, removeCommissionRule],
    ...[listCommissionRules, getEffectiveCommission, getCommissionRule],
  ],
  jobs: ({ hydration }: Services) => [{ name: HYDRATE_JOB, everyMs: 12 * 3_600_000, run: hydration.run }],
  async start({ db, gameProviders, catalogue, log, config }: Services) {
    await whileStarting({ what: 'game providers', log, timeoutMs: config.DATABASE_START_TIMEOUT_MS }, () =>
      gameProviders.sync(db),
    );
    await catalogue.start();
  },
  close: ({ catalogue }: Services) => catalogue.close(),
});
