import { useRef, useState } from 'react';
import type { Answer } from '../../../client/call.ts';
import {
  PLINKO_ROWS,
  PLINKO_SCALE,
  PLINKO_TABLE,
  type PlinkoRisk,
} from '../../../src/modules/games/house-games/plinko/rules.ts';
import { units } from '../../../src/platform/money.ts';
import { Slider } from '../../kit/form/choice.tsx';
import { multiplier as times } from '../../kit/intl.ts';
import { useKept } from '../../kit/store.ts';
import { own } from '../own.ts';
import { words } from '../words.ts';
import './plinko.css';
import { useConfig } from './play/config.ts';
import { Game } from './play/game.tsx';
import { everyFrame, isCalm, isStill, move } from './play/motion.ts';
import { paidWords } from './play/outcome.ts';
import { BetPanel } from './play/panel.tsx';
import { Choice } from './play/panel-parts.tsx';
import { send } from './play/send.ts';
import { sound } from './play/sound.ts';
import type { Stake } from './play/stake.ts';
import { useBet } from './play/use-bet.ts';
import { BALLS, Board } from './plinko-board.tsx';
import { bucketOf, fallMs, fallOf, layoutOf, pinsHit, rowsHit, WIDTH } from './plinko-path.ts';

const BET = 'POST /casino/games/house/plinko/bet';
type Result = Answer<typeof BET>;
type Chosen = { risk: PlinkoRisk; rows: number };

const { least, most } = PLINKO_ROWS;
const GLOW_MS = 160;
const BUCKET_MS = 220;
const BUCKET_GLOW_MS = 480;

const paysOf = (risk: PlinkoRisk, rows: number) =>
  PLINKO_TABLE[risk][rows]!.map((multiplier) => Number(multiplier) / Number(PLINKO_SCALE));

function isChosen(stored: unknown): stored is Chosen {
  const { risk = '', rows = 0 } = (stored ?? {}) as Partial<Chosen>;
  return risk !== '' && Object.hasOwn(PLINKO_TABLE, risk) && Object.hasOwn(PLINKO_TABLE[risk], rows);
}

/** Plinko: a ball falls through rows of pins and goes left or right at each row. Several balls may fall at once. */
export function Plinko() {
  const config = useConfig('GET /casino/games/house/plinko/config');
  const [{ risk, rows }, setChosen] = useKept<Chosen>(own, 'chosen.plinko', [
    { risk: 'MEDIUM', rows: 12 },
    isChosen,
  ]);
  const { svg, landed, drop, clear } = useDrops();
  const bet = useBet(BET, { reveal: drop, say, atOnce: BALLS });
  const lastAt = useRef(0);
  const body = { risk, rowsCount: rows };
  const play = (stake: Stake) => {
    const now = Date.now();
    if (now - lastAt.current < (config?.manualMs ?? 0)) return;
    lastAt.current = now;
    void bet.play({ body: { ...stake, ...body } });
  };
  return (
    <Game
      name="plinko"
      config={config}
      panel={
        <BetPanel
          bet={bet}
          limits={config}
          action={words.plinko.action}
          onPlay={play}
          auto={{
            ask: (stake, count) =>
              send('POST /casino/games/house/plinko/series', { body: { ...stake, ...body, count } }),
            reveal: drop,
            say,
            pauseMs: config?.autoMs,
          }}
        >
          <Settings
            risk={risk}
            rows={rows}
            isLocked={bet.isBusy}
            onChange={(next) => {
              clear();
              setChosen(next);
            }}
          />
        </BetPanel>
      }
    >
      <Board
        key={rows}
        svg={svg}
        rows={rows}
        risk={words.board.risks[risk]}
        pays={paysOf(risk, rows)}
        landed={landed}
      />
    </Game>
  );
}

type SettingsProps = Chosen & { isLocked: boolean; onChange: (next: Chosen) => void };

const Settings = ({ risk, rows, isLocked, onChange }: SettingsProps) => (
  <>
    <Choice
      label={words.board.risk}
      of={risksOf(words.board.risks)}
      value={risk}
      disabled={isLocked}
      onChange={(next) => onChange({ risk: next, rows })}
    />
    <div className="rows">
      <Slider
        name="rows"
        label={words.plinko.rows}
        right={<b>{rows}</b>}
        min={least}
        max={most}
        value={rows}
        disabled={isLocked}
        onChange={(next) => onChange({ risk, rows: next })}
      />
      <p className="line between faint" aria-hidden="true">
        <span>{least}</span>
        <span>{most}</span>
      </p>
    </div>
  </>
);

const risksOf = ({ LOW, MEDIUM, HIGH }: typeof words.board.risks) => ({ LOW, MEDIUM, HIGH });

const say = (result: Result) => words.plinko.landed(times(result.multiplier), paidWords(result));

/** The falling balls. Each uses one of the drawn balls, so that nothing is created while they fall. */
function useDrops() {
  const svg = useRef<SVGSVGElement>(null);
  const falling = useRef(new Set<number>());
  const resting = useRef<number>(undefined);
  const [landed, setLanded] = useState<{ results: readonly number[]; bucket: number }>();
  const part = (name: string, index: number) => svg.current?.querySelectorAll(`.${name}`)[index] ?? null;
  const hide = (slot: number | undefined) =>
    slot !== undefined && void move(part('ball', slot), [{ opacity: 0 }], 0);
  const drop = async (result: Result) => {
    const { results } = result;
    const slot = Array.from({ length: BALLS }, (_, i) => i).find((i) => !falling.current.has(i)) ?? 0;
    falling.current.add(slot);
    hide(resting.current);
    resting.current = undefined;
    setLanded(undefined);
    await fall(results, {
      ball: part('ball', slot),
      halos: [part('halo', 2 * slot), part('halo', 2 * slot + 1)],
    });
    falling.current.delete(slot);
    hide(resting.current);
    resting.current = slot;
    const bucket = bucketOf(results);
    setLanded({ results, bucket });
    void move(part('bucket', bucket), DIP, BUCKET_MS);
    const hasWon = units(result.payout) > units(result.betAmount);
    if (hasWon && !isCalm())
      void move(part('light', bucket), [{ opacity: 0.55 }, { opacity: 0 }], BUCKET_GLOW_MS);
  };
  const clear = () => {
    hide(resting.current);
    resting.current = undefined;
    setLanded(undefined);
  };
  return { svg, landed, drop, clear };
}

const DIP = ['translateY(0)', 'translateY(7px)', 'translateY(0)'].map((transform) => ({ transform }));

type Parts = { ball: Element | null; halos: readonly (Element | null)[] };

/** Moves a ball along its way. The pins that it hits glow and tick. */
async function fall(results: readonly number[], { ball, halos }: Parts): Promise<void> {
  const layout = layoutOf(results.length);
  const { across, down } = fallOf(layout, results);
  const pins = pinsHit(layout, results);
  const ms = fallMs(results.length);
  let hit = 0;
  const strike = (progress: number) => {
    const reached = rowsHit(results.length, progress);
    if (reached <= hit || progress >= 1 || isStill()) return;
    hit = reached;
    const { x, y } = pins[reached - 1]!;
    const at = `translate(${x}px, ${y}px)`;
    void move(
      halos[reached % 2] ?? null,
      [
        { transform: at, opacity: 0.5 },
        { transform: at, opacity: 0 },
      ],
      GLOW_MS,
    );
    sound('tick', { pan: (2 * x) / WIDTH - 1 });
  };
  await Promise.all([
    move(ball, across, ms, 'linear'),
    move(ball?.firstElementChild ?? null, down, ms, 'linear'),
    everyFrame(ms, strike),
  ]);
}
