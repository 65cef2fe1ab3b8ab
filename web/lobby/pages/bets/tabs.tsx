import { Tabs } from '../../../kit/tabs.tsx';
import { words } from '../../words.ts';
import type { Kind } from './use-live-bets.ts';

/** The page of each list of bets. */
export const PATHS: Readonly<Record<Kind | 'MY', string>> = {
  ALL: '/live',
  HIGH_ROLLERS: '/live/high-stakes',
  LUCKY_WINS: '/live/big-wins',
  MY: '/bets',
};

export const BetTabs = () => (
  <Tabs
    label={words.live.which}
    of={{
      [words.live.kinds.ALL]: PATHS.ALL,
      [words.live.kinds.HIGH_ROLLERS]: PATHS.HIGH_ROLLERS,
      [words.live.kinds.LUCKY_WINS]: PATHS.LUCKY_WINS,
      [words.live.own]: PATHS.MY,
    }}
  />
);
