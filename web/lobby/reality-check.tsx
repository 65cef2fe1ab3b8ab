import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { Dialog } from '../kit/dialog.tsx';
import { local } from '../kit/storage.ts';
import { createStore } from '../kit/store.ts';
import { isExcluded } from './exclusion.ts';
import { type Sat, shortUsd } from './sitting.ts';
import { words } from './words.ts';

/** Selectable minutes between two reality checks. The default is 60; the player can select a shorter interval. */
export const EVERY = [15, 30, 60] as const;
const MINUTE_MS = 60_000;
const KEY = 'realityCheckMinutes';

const asked = createStore(false);
/**
 * Returns true while the reality check waits for an answer, or while the player is excluded. Excluded players may only finish an open
 * round.
 */
export const isPlayHeld = (isFinishing = false) => asked.get() || (!isFinishing && isExcluded());

const kept = Number(local.get(KEY));
const every = createStore<number>(EVERY.find((minutes) => minutes === kept) ?? 60);
export const useRealityCheckMinutes = every.use;
export function chooseRealityCheck(minutes: number): void {
  local.set(KEY, String(minutes));
  every.set(minutes);
}

/** Asks the player at regular intervals since the start of the playing session whether to continue. */
export function RealityCheck({ sat }: { sat: Sat }) {
  const isAsked = asked.use();
  const minutes = every.use();
  const [answeredAt, setAnsweredAt] = useState(() => sat.since);
  useEffect(() => {
    const due = Math.max(answeredAt, sat.since) + minutes * MINUTE_MS;
    const timer = setTimeout(() => asked.set(true), Math.max(0, due - Date.now()));
    return () => clearTimeout(timer);
  }, [answeredAt, sat.since, minutes]);
  if (!isAsked) return null;
  const goOn = () => {
    asked.set(false);
    setAnsweredAt(Date.now());
  };
  return (
    <Dialog title={words.protect.checkTitle} onClose={goOn}>
      <p>{words.protect.check(minutesSince(sat.since), shortUsd(sat.net))}</p>
      <div className="actions">
        <Link href="/protection" className="button" onClick={goOn}>
          {words.protect.pause}
        </Link>
        <button type="button" className="main" onClick={goOn}>
          {words.protect.goOn}
        </button>
      </div>
    </Dialog>
  );
}

export const minutesSince = (at: number) => Math.floor((Date.now() - at) / MINUTE_MS);
