import { useEffect, useRef, useState } from 'react';
import { type RefusedBet, Refused } from '../../../client/call.ts';
import { formatUnits, parseUnits, type Units, units } from '../../../src/platform/money.ts';
import { Amount } from '../../kit/amount.tsx';
import { Refusal } from '../../kit/page.tsx';
import { asRefused } from '../../kit/query.ts';
import { holdBalances } from '../balances.ts';
import { isPlayHeld } from '../reality-check.tsx';
import { words } from '../words.ts';
import type { Stake } from './stake.tsx';
import { autoplay, beat, isStill } from './use-bet.ts';

/** How many bets are made at once where nothing may stop them in between. */
const AT_ONCE = 5;
const PAUSE_MS = 350;
const MOST = 1000;
/** Between two requests where nothing is drawn: the server is asked no faster than this. */
const LEAST_MS = 120;

type Made = { payout: string; betAmount: string };
type Answered<B> = { bets: B[]; refused: RefusedBet | null; unknown: number };

type SeriesProps<B extends Made> = {
  /** Undefined: nothing can be bet now. */
  stake: Stake | undefined;
  /** Makes so many bets, under one key. */
  ask: (stake: Stake, count: number) => Promise<Answered<B>>;
  /** Draws one outcome. */
  reveal: (bet: B) => Promise<unknown> | undefined;
  /** One outcome in words, and who reads them out. */
  say: (bet: B) => string;
  onSaid: (text: string) => void;
};

type Stops = { count: number; win?: Units; fallen?: Units; risen?: Units };
type Tally = { left: number; net: Units; why?: string | undefined };

/** Many bets, one outcome after the other. With a condition to stop, each bet waits for the outcome before it. */
export function Series<B extends Made>(props: SeriesProps<B>) {
  const { isRunning, isEnding, tally, refused, start, stop } = useSeries(props);
  const [problem, setProblem] = useState(false);
  const begin = (button: HTMLButtonElement) => {
    const stops = stopsOf(new FormData(button.form!));
    setProblem(stops === undefined);
    if (stops) void start(stops);
  };
  const t = words.series;
  return (
    <details className="series">
      <summary>{t.title}</summary>
      <div className="form">
        <label className="field">
          <span>{t.count}</span>
          <input name="count" type="number" min={1} max={MOST} defaultValue={10} disabled={isRunning} />
        </label>
        {(['win', 'fallen', 'risen'] as const).map((name) => (
          <label key={name} className="field">
            <span>{t[name]}</span>
            <input name={name} inputMode="decimal" autoComplete="off" disabled={isRunning} />
          </label>
        ))}
        <small className="dim">{t.hint(AT_ONCE)}</small>
        {problem && <small className="problem">{t.wrong}</small>}
        {refused && <Refusal of={refused} />}
        {isRunning ? (
          <button type="button" className="danger" disabled={isEnding} onClick={stop}>
            {t.stop}
          </button>
        ) : (
          <button
            type="button"
            disabled={props.stake === undefined}
            onClick={(event) => begin(event.currentTarget)}
          >
            {t.start}
          </button>
        )}
        {tally && (
          <p>
            {t.left(tally.left)} · {t.net} <Amount of={formatUnits(tally.net)} in="USD" />
            {tally.why && <strong> {tally.why}</strong>}
          </p>
        )}
      </div>
    </details>
  );
}

function useSeries<B extends Made>(props: SeriesProps<B>) {
  const latest = useRef(props);
  const isWanted = useRef(false);
  const [state, setState] = useState<'idle' | 'running' | 'ending'>('idle');
  const [tally, setTally] = useState<Tally>();
  const [refused, setRefused] = useState<Refused>();
  useEffect(() => {
    latest.current = props;
  });
  useEffect(
    () => () => {
      isWanted.current = false;
      autoplay.set(false);
    },
    [],
  );
  const start = async (stops: Stops) => {
    const { stake } = latest.current;
    if (!stake || autoplay.get()) return;
    isWanted.current = true;
    autoplay.set(true);
    setState('running');
    setRefused(undefined);
    const so: Tally = { left: stops.count, net: 0n };
    setTally({ ...so });
    try {
      while (!so.why && so.left > 0) {
        if (!isWanted.current) so.why = words.series.stopped;
        else if (isPlayHeld()) so.why = words.series.held;
        else await round(stake, stops, so);
      }
      if (!so.why) so.why = words.series.done;
    } catch (error) {
      setRefused(asRefused(error));
      so.why = words.series.refused;
    }
    autoplay.set(false);
    setTally({ ...so });
    setState('idle');
  };
  /** Some bets, and what they come to. */
  const round = async (stake: Stake, stops: Stops, so: Tally) => {
    const release = holdBalances();
    try {
      const isOneByOne = stops.win !== undefined || stops.fallen !== undefined || stops.risen !== undefined;
      const count = isOneByOne ? 1 : Math.min(AT_ONCE, so.left);
      const [{ bets, refused: no, unknown }] = await Promise.all([
        latest.current.ask(stake, count),
        new Promise((done) => setTimeout(done, LEAST_MS)),
      ]);
      so.left -= bets.length + unknown;
      for (const bet of bets) {
        so.net += units(bet.payout) - units(bet.betAmount);
        if (isWanted.current) await latest.current.reveal(bet);
        latest.current.onSaid(latest.current.say(bet));
        setTally({ ...so });
        so.why ??= reached(stops, so.net, bet);
        if (isWanted.current && !isStill()) await beat(PAUSE_MS);
      }
      if (no) throw new Refused(409, { ...no, details: no.details ?? {} });
      if (unknown > 0) so.why = words.series.unknown(unknown);
    } finally {
      release();
    }
  };
  const stop = () => {
    isWanted.current = false;
    setState('ending');
  };
  return { isRunning: state !== 'idle', isEnding: state === 'ending', tally, refused, start, stop };
}

/** Which condition is met; undefined: none. */
function reached({ win, fallen, risen }: Stops, net: Units, { payout, betAmount }: Made): string | undefined {
  if (win !== undefined && units(payout) - units(betAmount) > win) return words.series.byWin;
  if (fallen !== undefined && -net >= fallen) return words.series.byFall;
  if (risen !== undefined && net >= risen) return words.series.byRise;
  return undefined;
}

/** What was filled in; undefined where it is no number. */
function stopsOf(data: FormData): Stops | undefined {
  const count = Number(data.get('count'));
  if (!Number.isInteger(count) || count < 1 || count > MOST) return undefined;
  const stops: Stops = { count };
  for (const name of ['win', 'fallen', 'risen'] as const) {
    const text = String(data.get(name) ?? '')
      .trim()
      .replace(',', '.');
    if (text === '') continue;
    const amount = parseUnits(text);
    if (amount === undefined) return undefined;
    stops[name] = amount;
  }
  return stops;
}
