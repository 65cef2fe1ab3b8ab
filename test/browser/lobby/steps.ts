import type { Browser, Page } from 'playwright-core';
import type { Started } from '../platform.ts';
import { accountSteps } from './account.ts';
import { badDaysSteps } from './bad-days.ts';
import { gamesSteps } from './games.ts';
import { moneySteps } from './money.ts';
import { offersSteps } from './offers.ts';
import { protectionSteps } from './protection.ts';

export type Place = { browser: Browser; platform: Started & { debugToken: string } };

/** What is tried in the lobby, each with a browser that nobody is signed in to. */
export type Steps = Readonly<Record<string, (page: Page, place: Place) => Promise<void>>>;

export const LOBBY: Steps = {
  ...gamesSteps,
  ...badDaysSteps,
  ...accountSteps,
  ...moneySteps,
  ...protectionSteps,
  ...offersSteps,
};
