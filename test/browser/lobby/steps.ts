import type { Browser, Page } from 'playwright-core';
import type { Started } from '../platform.ts';
import { accountSteps } from './account.ts';
import { badDaysSteps } from './bad-days.ts';
import { gamesSteps } from './games.ts';
import { hostileBrowserSteps } from './hostile-browsers.ts';
import { moneySteps } from './money.ts';
import { offersSteps } from './offers.ts';
import { protectionSteps } from './protection.ts';

export type Place = { browser: Browser; platform: Started & { debugToken: string } };

/** Test steps in the lobby. Each begins in a browser in which no user is signed in. */
export type Steps = Readonly<Record<string, (page: Page, place: Place) => Promise<void>>>;

export const LOBBY: Steps = {
  ...gamesSteps,
  ...badDaysSteps,
  ...hostileBrowserSteps,
  ...accountSteps,
  ...moneySteps,
  ...protectionSteps,
  ...offersSteps,
};
