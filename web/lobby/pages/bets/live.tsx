import { Page } from '../../../kit/page.tsx';
import { NotFound } from '../../not-found.tsx';
import { words } from '../../words.ts';
import { Feed } from './feed.tsx';
import { BetTabs } from './tabs.tsx';
import type { Kind } from './use-live-bets.ts';

const ROWS = 50;
const KINDS: Readonly<Record<string, Kind>> = { 'high-stakes': 'HIGH_ROLLERS', 'big-wins': 'LUCKY_WINS' };

/** The live feed of all players' bets. */
export function Live({ params: { kind: name = '' } }: { params: { kind?: string } }) {
  const kind = name === '' ? 'ALL' : Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (!kind) return <NotFound />;
  return (
    <Feed key={kind} kind={kind} count={ROWS}>
      {(sign, table) => (
        <Page title={words.menu.live} actions={sign} filters={<BetTabs />}>
          {table}
        </Page>
      )}
    </Feed>
  );
}
