import { useEffect, useState } from 'react';
import { Button, ButtonLink } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { duration } from '../kit/intl.ts';
import { Kpi } from '../kit/measures.tsx';
import { ownStore } from './own-store.ts';
import { isCheckOpen } from './play-hold.ts';
import { netOf, type Sat } from './sitting.ts';
import { words } from './words.ts';

/** Selectable minutes between two reality checks. The default is 60; the player can select a shorter interval. */
export const EVERY = [15, 30, 60] as const;
const MINUTE_MS = 60_000;

const chosen = ownStore('realityCheckMinutes');
export function useRealityCheckMinutes(): number {
  const kept = Number(chosen.use());
  return EVERY.find((minutes) => minutes === kept) ?? 60;
}
export const chooseRealityCheck = (minutes: number): void => chosen.set(String(minutes));

/** Asks the player at regular intervals since the start of the playing session whether to continue. */
export function RealityCheck({ sat }: { sat: Sat }) {
  const isOpen = isCheckOpen.use();
  const minutes = useRealityCheckMinutes();
  const [answeredAt, setAnsweredAt] = useState(() => sat.since);
  useEffect(() => {
    const due = Math.max(answeredAt, sat.since) + minutes * MINUTE_MS;
    const timer = setTimeout(() => isCheckOpen.set(true), Math.max(0, due - Date.now()));
    return () => clearTimeout(timer);
  }, [answeredAt, sat.since, minutes]);
  if (!isOpen) return null;
  const goOn = () => {
    isCheckOpen.set(false);
    setAnsweredAt(Date.now());
  };
  return (
    <Dialog
      title={words.protect.checkTitle}
      foot={
        <>
          <ButtonLink to="/protection" onClick={goOn}>
            {words.protect.pause}
          </ButtonLink>
          <Button kind="main" onClick={goOn}>
            {words.protect.goOn}
          </Button>
        </>
      }
    >
      <p>{words.protect.check(minutesSince(sat.since))}</p>
      <div className="kpis">
        <Kpi label={words.protect.playing}>{duration(Math.max(MINUTE_MS, Date.now() - sat.since))}</Kpi>
        <Kpi label={words.protect.result}>{netOf(sat.net)}</Kpi>
      </div>
    </Dialog>
  );
}

export const minutesSince = (at: number) => Math.floor((Date.now() - at) / MINUTE_MS);
