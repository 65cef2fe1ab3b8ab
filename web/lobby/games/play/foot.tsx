import { Button } from '../../../kit/button.tsx';
import type { IconName } from '../../../kit/icon.tsx';
import { percent } from '../../../kit/intl.ts';
import { useAct, useRead } from '../../../kit/query.ts';
import { useOptionalMe } from '../../../kit/session.tsx';
import { words } from '../../words.ts';
import { isAutoClosed } from './auto.ts';
import type { Name } from './context.ts';
import { toggleHotkeys, useHotkeysOn } from './hotkeys.ts';
import { quickPlay } from './motion.ts';
import { toggleSound, useSound } from './sound.ts';

type FootProps = { name: Name; rtp: number | undefined; onProof: () => void };

/** The bar below the stage: the game, its switches, and the proof. */
export function Foot({ name, rtp, onProof }: FootProps) {
  const t = words.table;
  const me = useOptionalMe();
  const hasSound = useSound();
  const isQuick = quickPlay.use();
  const hasKeys = useHotkeysOn();
  const isClosed = isAutoClosed.use();
  return (
    <footer className="game-foot">
      <img src={`/art/tile-${name}.svg`} alt="" width={26} height={34} />
      <p className="clip">
        <b>{words.games[name]}</b> <span className="faint sm">{t.originals(rtp && percent(rtp))}</span>
      </p>
      <span className="grow" />
      {me && <Favourite slug={name} />}
      <Toggle
        icon={hasSound ? 'volume-2' : 'volume-x'}
        label={t.sound}
        isOn={hasSound}
        onPress={toggleSound}
      />
      {!isClosed && <Toggle icon="zap" label={t.quick} isOn={isQuick} onPress={quickPlay.toggle} />}
      <Toggle icon="keyboard" label={t.hotkeys} isOn={hasKeys} onPress={toggleHotkeys} isWideOnly />
      <Button
        kind="ghost"
        icon="maximize"
        className="wide-only"
        aria-label={t.fullScreen}
        onClick={() => void toggleFullScreen()}
      />
      <Button size="sm" icon="badge-check" className="proof" onClick={onProof}>
        {t.fair}
      </Button>
    </footer>
  );
}

type ToggleProps = {
  icon: IconName;
  label: string;
  isOn: boolean;
  onPress: () => void;
  isWideOnly?: boolean;
};

const Toggle = ({ icon, label, isOn, onPress, isWideOnly = false }: ToggleProps) => (
  <Button
    kind="ghost"
    icon={icon}
    aria-label={label}
    aria-pressed={isOn}
    className={isWideOnly ? 'wide-only' : ''}
    onClick={onPress}
  />
);

/** A button that adds the game to the player's favourites. */
function Favourite({ slug }: { slug: Name }) {
  const game = useRead('GET /casino/games/{slug}', { path: { slug } }, { staleMs: 60_000 });
  const stale = ['GET /casino/games/{slug}', 'GET /casino/games/favorite', 'GET /casino/games'] as const;
  const add = useAct('POST /casino/games/favorite/{slug}', { stale });
  const remove = useAct('DELETE /casino/games/favorite/{slug}', { stale });
  const isOn = game.data?.isFavorite === true;
  return (
    <Button
      kind="ghost"
      icon="star"
      className={isOn ? 'favourite on' : 'favourite'}
      aria-label={words.table.favourite}
      aria-pressed={isOn}
      disabled={!game.data || add.isBusy || remove.isBusy}
      onClick={() => void (isOn ? remove : add).run({ path: { slug } })}
    />
  );
}

async function toggleFullScreen(): Promise<void> {
  if (document.fullscreenElement) await document.exitFullscreen();
  else await document.getElementById('game')?.requestFullscreen();
}
