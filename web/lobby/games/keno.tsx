import { useState } from 'react';
import type { Answer } from '../../../client/call.ts';
import {
  KENO_DRAWN,
  KENO_MOST,
  KENO_NUMBERS,
  KENO_RISKS,
  type KenoRisk,
} from '../../../src/modules/games/house-games/keno/rules.ts';
import { useRead } from '../../kit/query.ts';
import { words } from '../words.ts';
import './keno.css';
import { BetPanel } from './bet-panel.tsx';
import { Game } from './game.tsx';
import { paidWords } from './outcome.ts';
import { useRoving } from './roving.ts';
import { beat, isStill, once, useBet } from './use-bet.ts';

const BET = 'POST /casino/games/house/keno/bet';
type Result = Answer<typeof BET>;

const COLUMNS = 8;
const NUMBERS = Array.from({ length: KENO_NUMBERS }, (_, i) => i + 1);

/** Keno: ten of forty numbers are drawn. The payout depends on the number of hits. */
export function Keno() {
  const [risk, setRisk] = useState<KenoRisk>('CLASSIC');
  const [selected, setSelected] = useState<readonly number[]>([]);
  const [drawn, setDrawn] = useState<readonly number[]>([]);
  const [last, setLast] = useState<Result>();
  const config = useRead('GET /casino/games/house/keno/config', {}, { staleMs: 60_000 });
  const reveal = async (result: Result) => {
    for (let shown = isStill() ? result.results.length : 1; shown <= result.results.length; shown++) {
      setDrawn(result.results.slice(0, shown));
      await beat(90);
    }
    setLast(result);
  };
  const hitsOf = (results: readonly number[]) => results.filter((n) => selected.includes(n)).length;
  const say = (result: Result) => {
    const drawnWords = result.results.toSorted((a, b) => a - b).join(', ');
    return `${words.keno.hits(hitsOf(result.results), selected.length)} ${paidWords(result)} (${drawnWords})`;
  };
  const bet = useBet(BET, { reveal, say });
  const { play, isBusy, said } = bet;
  const choose = (next: readonly number[]) => {
    setSelected(next);
    setDrawn([]);
  };
  const pays = config.data?.multipliers[risk]?.[String(selected.length)];
  return (
    <Game
      name="keno"
      said={said}
      betId={last?.betId}
      panel={
        <BetPanel
          limits={config.data}
          onPlay={(stake) => {
            setDrawn([]);
            void play({ body: { ...stake, risk, selected: [...selected] } });
          }}
          bet={bet}
          isOff={selected.length === 0}
          ask={(of, count) =>
            once('POST /casino/games/house/keno/series', {
              body: { ...of, risk, selected: [...selected], count },
            })
          }
          reveal={reveal}
          say={say}
        >
          <Choices risk={risk} onRisk={setRisk} isLocked={isBusy} onChange={choose} />
          {selected.length === 0 && <small className="dim">{words.keno.choose(KENO_MOST)}</small>}
        </BetPanel>
      }
    >
      <Board selected={selected} drawn={drawn} isLocked={isBusy} onChange={choose} />
      {pays && <Pays of={pays} hits={drawn.length === KENO_DRAWN ? hitsOf(drawn) : undefined} />}
    </Game>
  );
}

type ChoicesProps = {
  risk: KenoRisk;
  onRisk: (risk: KenoRisk) => void;
  isLocked: boolean;
  onChange: (selected: readonly number[]) => void;
};

const Choices = ({ risk, onRisk, isLocked, onChange }: ChoicesProps) => (
  <>
    <label className="field">
      <span>{words.house.risk}</span>
      <select value={risk} disabled={isLocked} onChange={(event) => onRisk(event.target.value as KenoRisk)}>
        {KENO_RISKS.map((one) => (
          <option key={one} value={one}>
            {words.house.risks[one]}
          </option>
        ))}
      </select>
    </label>
    <div className="actions">
      <button type="button" disabled={isLocked} onClick={() => onChange(atRandom())}>
        {words.keno.random}
      </button>
      <button type="button" disabled={isLocked} onClick={() => onChange([])}>
        {words.house.clear}
      </button>
    </div>
  </>
);

/** The multiplier for each number of hits. The last result is highlighted. */
const Pays = ({ of, hits: reached }: { of: readonly number[]; hits: number | undefined }) => (
  <ol className="pays" aria-label={words.keno.table}>
    {of.map((multiplier, hits) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the index is the number of hits
      <li key={hits} aria-current={reached === hits ? 'true' : undefined}>
        <small>{words.keno.hit(hits)}</small> {multiplier} ×
      </li>
    ))}
  </ol>
);

type BoardProps = {
  selected: readonly number[];
  drawn: readonly number[];
  isLocked: boolean;
  onChange: (selected: readonly number[]) => void;
};

function Board({ selected, drawn, isLocked, onChange }: BoardProps) {
  const { onKeyDown, cell } = useRoving(KENO_NUMBERS, COLUMNS);
  const press = (n: number) => {
    if (isLocked) return;
    if (selected.includes(n)) onChange(selected.filter((one) => one !== n));
    else if (selected.length < KENO_MOST) onChange([...selected, n]);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid
    <div className="numbers" role="group" aria-label={words.keno.board} onKeyDown={onKeyDown}>
      {NUMBERS.map((n) => {
        const isDrawn = drawn.includes(n);
        const isMine = selected.includes(n);
        return (
          <button
            key={n}
            type="button"
            {...cell(n - 1)}
            aria-pressed={isMine}
            className={isDrawn ? (isMine ? 'hit' : 'drawn') : undefined}
            onClick={() => press(n)}
          >
            {n}
            {isDrawn && <small aria-hidden="true">{isMine ? '◆' : '•'}</small>}
          </button>
        );
      })}
    </div>
  );
}

/** Selects ten different numbers for the player. The draw itself happens on the server. */
function atRandom(): number[] {
  const left = [...NUMBERS];
  return Array.from({ length: KENO_MOST }, () => left.splice(Math.floor(Math.random() * left.length), 1)[0]!);
}
