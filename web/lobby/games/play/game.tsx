import './game.css';
import { type ReactNode, useLayoutEffect, useState } from 'react';
import { Boundary } from '../../../kit/boundary.tsx';
import { Imported, lazily } from '../../../kit/load.tsx';
import { Note } from '../../../kit/note.tsx';
import { Page } from '../../../kit/page.tsx';
import { useExclusion } from '../../exclusion.ts';
import { words } from '../../words.ts';
import type { GameConfig } from './below.tsx';
import { Celebration } from './celebration.tsx';
import { useRtp } from './config.ts';
import { GameName, type Name } from './context.ts';
import { Foot } from './foot.tsx';
import { useHotkeys } from './hotkeys.ts';
import { quickPlay } from './motion.ts';
import { lastShown } from './outcome.ts';
import { Results } from './results.tsx';
import { announce, announced } from './use-bet.ts';

/** The part below the stage is loaded after it. */
const Below = lazily(async () => (await import('./below.tsx')).Below);
const Notice = lazily(async () => (await import('../../excluded.tsx')).Notice);
const FairDrawer = lazily(async () => (await import('./fair/drawer.tsx')).FairDrawer);

/** The ground of each stage, which is dark in both themes. */
const TINTS: Readonly<Record<Name, string>> = {
  dice: '#2f6bff',
  limbo: '#6a2bff',
  keno: '#0a9aa0',
  plinko: '#9a3df0',
  mines: '#11b7a6',
  'monkey-run': '#1c8f5a',
  roulette: '#b3263f',
  'speed-roulette': '#d2542a',
  blackjack: '#0f8f57',
};

const QUICK = { key: 'q', text: '', run: quickPlay.toggle };

type GameProps = {
  name: Name;
  panel: ReactNode;
  /** The game's configuration, from `useConfig`. */
  config: GameConfig | undefined;
  /** For games with rounds: whether a round is open. */
  round?: 'unknown' | 'open' | 'none';
  /** The seed to which a shared round is bound, for games that do not use the player's own seeds. */
  commitment?: ReactNode;
  children: ReactNode;
};

/** The page of a game: panel and stage, the bar below them, the player's bets and facts about the game. */
export function Game({ name, panel, config, round, commitment, children }: GameProps) {
  const [proof, setProof] = useState<{ betId?: string | undefined }>();
  const excluded = useExclusion();
  const said = announced.use();
  const rtp = useRtp(name) ?? config?.rtp;
  // Excluded players may finish an open round. The outcome of a round that has just ended is still shown.
  const isOver = excluded !== undefined && round === 'none';
  useReset();
  const openProof = (betId?: string) => setProof({ betId });
  useHotkeys([QUICK, { key: 'f', text: '', run: () => openProof() }]);
  if (isOver && said === '')
    return (
      <Page title={words.notice.title}>
        <Imported>
          <Notice of={excluded} />
        </Imported>
      </Page>
    );
  return (
    <Page title={isOver ? words.notice.title : words.games[name]} isTitleHidden={!isOver}>
      <GameName value={name}>
        <div className="play-page">
          {excluded && !isOver && <Note kind="warn">{words.notice.finish}</Note>}
          <section id="game" className={`play-table ${name}`} aria-label={words.games[name]}>
            <Imported>{isOver ? <Notice of={excluded} /> : panel}</Imported>
            <div className="arena" style={{ '--tint': TINTS[name] }}>
              <Results game={name} />
              {children}
              <p className={said ? 'said shown' : 'said'} role="status">
                {/* A new element for each text. Otherwise the centred text would count as moved. */}
                <span key={said}>{said || '\u00a0'}</span>
              </p>
              <Celebration />
            </div>
            <Foot name={name} rtp={rtp} onProof={() => openProof()} />
          </section>
          <div className="game-below">
            <Boundary>
              <Imported fallback={<div className="card" />}>
                <Below name={name} rtp={rtp} config={config} onProof={openProof} />
              </Imported>
            </Boundary>
          </div>
        </div>
        {proof && (
          <Boundary>
            <Imported>
              <FairDrawer
                game={name}
                betId={proof.betId}
                commitment={commitment}
                onClose={() => setProof(undefined)}
              />
            </Imported>
          </Boundary>
        )}
      </GameName>
    </Page>
  );
}

/** Removes the text and the outcome of the previous game. */
function useReset(): void {
  useLayoutEffect(() => {
    announce('');
    lastShown.set(undefined);
  }, []);
}

/** The state of a round for `round`: unknown while the server is asked for an open round. */
export const roundOf = (isAsking: boolean, isOpen: boolean): 'unknown' | 'open' | 'none' =>
  isOpen ? 'open' : isAsking ? 'unknown' : 'none';
