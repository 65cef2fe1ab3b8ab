import { useEffect, useRef, useState } from 'react';
import { Refused, type RefusedBet } from '../../../client/call.ts';
import { formatUnits, parseUnits, type Units, units } from '../../../src/platform/money.ts';
import { Amount } from '../../kit/amount.tsx';
import { Refusal } from '../../kit/page.tsx';
import { asRefused } from '../../kit/query.ts';
import { holdBalances } from '../balances.ts';
import { noteRefusal } from '../exclusion.ts';
import { isPlayHeld } from '../reality-check.tsx';
import { words } from '../words.ts';
import type { Stake } from './stake.tsx';
import { autoplay, beat } from './use-bet.ts';

/** Number of bets per request if no stop condition is set. */
const AT_ONCE = 5;
const PAUSE_MS = 350;
const MOST = 1000;
/** Minimum time between two requests. It limits the request rate when there is no animation. */
const LEAST_MS = 120;

type Made = { payout: string; betAmount: string };
type Answered<B> = { bets: B[]; refused: RefusedBet | null; unknown: number };

export type SeriesProps<B extends Made> = {
  /** Undefined if no bet is possible now. */
  stake: Stake | undefined;
  /** Places this number of bets with one idempotency key. */
  ask: (stake: Stake, count: number) => Promise<Answered<B>>;
  /** Shows one outcome. */
  reveal: (bet: B) => Promise<unknown> | undefined;
  /** Describes one outcome, and announces the description to screen readers. */
  say: (bet: B) => string;
  onSaid: (text: string) => void;
};

type Stops = { count: number; win?: Units; fallen?: Units; risen?: Units };
type Tally = { left: number; net: Units; why?: string | undefined };

/**
 * A series of bets whose outcomes are shown one after another. With a stop condition, each bet is placed only after the previous outcome is
 * known.
 */
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
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Enter in these fields must not place a single bet */}
      <div
        className="form"
        onKeyDown={(event) => {
          if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
        }}
      >
        <label className="field">
          <span>{t.count}</span>
          <input name="count" inputMode="numeric" autoComplete="off" defaultValue={10} disabled={isRunning} />
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
          <button type="button" className="danger" aria-disabled={isEnding} onClick={stop}>
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
  const isThere = useRef(true);
  const [state, setState] = useState<'idle' | 'running' | 'ending'>('idle');
  const [tally, setTally] = useState<Tally>();
  const [refused, setRefused] = useState<Refused>();
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
      isWanted.current = false;
      autoplay.set(false);
    };
  }, []);
  const start = async (stops: Stops) => {
    const { stake } = latest.current;
    if (!stake || autoplay.get()) return;
    isWanted.current = true;
    autoplay.set(true);
    setState('running');
    setRefused(undefined);
    const so: Tally = { left: stops.count, net: 0n };
    const tell = () => setTally({ ...so });
    tell();
    try {
      while (so.why === undefined && so.left > 0) {
        if (!isWanted.current) so.why = words.series.stopped;
        else if (isPlayHeld()) so.why = words.series.held;
        else await someBets({ latest, isWanted, stake, stops, so, tell });
      }
      so.why ??= words.series.done;
    } catch (error) {
      noteRefusal(error);
      setRefused(asRefused(error));
      so.why = words.series.refused;
    }
    if (isThere.current) autoplay.set(false);
    tell();
    setState('idle');
  };
  const stop = () => {
    isWanted.current = false;
    setState('ending');
  };
  return { isRunning: state !== 'idle', isEnding: state === 'ending', tally, refused, start, stop };
}

type Run<B extends Made> = {
  latest: { readonly current: SeriesProps<B> };
  isWanted: { readonly current: boolean };
  stake: Stake;
  stops: Stops;
  so: Tally;
  tell: () => void;
};

/** Places some bets, shows their outcomes and adds them to the totals. Throws `Refused`. */
async function someBets<B extends Made>({ latest, isWanted, stake, stops, so, tell }: Run<B>): Promise<void> {
  const { win, fallen, risen } = stops;
  const isOneByOne = win !== undefined || fallen !== undefined || risen !== undefined;
  const count = isOneByOne ? 1 : Math.min(AT_ONCE, so.left);
  const release = holdBalances();
  try {
    const [{ bets, refused, unknown }] = await Promise.all([
      latest.current.ask(stake, count),
      new Promise((done) => setTimeout(done, LEAST_MS)),
    ]);
    so.left -= bets.length + unknown;
    for (const bet of bets) {
      // If the player has stopped the series, the outcomes of bets that were already placed are shown without animation.
      if (isWanted.current) await latest.current.reveal(bet);
      so.net += units(bet.payout) - units(bet.betAmount);
      so.why ??= reached(stops, so.net, bet);
      latest.current.onSaid(latest.current.say(bet));
      tell();
      if (isWanted.current) await beat(PAUSE_MS);
    }
    if (refused) throw new Refused(409, { ...refused, details: refused.details ?? {} });
    if (unknown > 0) so.why = words.series.unknown(unknown);
  } finally {
    release();
  }
}

/** Returns the stop condition that is met, or undefined. */
function reached({ win, fallen, risen }: Stops, net: Units, { payout, betAmount }: Made): string | undefined {
  if (win !== undefined && units(payout) - units(betAmount) > win) return words.series.byWin;
  if (fallen !== undefined && -net >= fallen) return words.series.byFall;
  if (risen !== undefined && net >= risen) return words.series.byRise;
  return undefined;
}

/** Parses the entered stop conditions. Returns undefined if one is not a valid number. */
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
