import '../kit/form/field.css';
import { type ReactNode, useEffect } from 'react';
import type { Answer } from '../../client/call.ts';
import { startLive, useIsLive } from '../kit/live.ts';
import { refresh } from '../kit/query.ts';
import { SignedIn } from '../kit/session.tsx';
import { heardBy, useExclusion, watchRefusals } from './exclusion.ts';
import { FOLLOWS } from './follows.ts';
import { AccountMenu, Bell, ChatButton } from './frame/account.tsx';
import { Purse } from './frame/purse.tsx';
import { ReadyRakeback } from './frame/ready-rakeback.tsx';
import { Session } from './frame/session.tsx';
import { Shell } from './frame/shell.tsx';
import { RealityCheck } from './reality-check.tsx';
import { SatContext } from './sat.ts';
import { useSitting } from './sitting.ts';

type Me = Answer<'GET /user/me'>;

/** The parts that only signed-in players need: the socket, their part of the frame, and the limits of play. Visitors do not load it. */
export function Player({ me, children }: { me: Me; children: ReactNode }) {
  useEffect(watchRefusals, []);
  useEffect(() => heardBy(me.id), [me.id]);
  useEffect(() => startLive([], FOLLOWS), []);
  // Reads the balances again when the socket opens, because no event reports changes between the first read and the opening of the socket.
  const isLive = useIsLive();
  useEffect(() => {
    if (isLive) void refresh('GET /accounting/balances');
  }, [isLive]);
  return (
    <SignedIn me={me}>
      <PlayerShell me={me}>{children}</PlayerShell>
    </SignedIn>
  );
}

function PlayerShell({ me, children }: { me: Me; children: ReactNode }) {
  const sat = useSitting();
  const isExcluded = useExclusion() !== undefined;
  return (
    <Shell
      isIn
      isExcluded={isExcluded}
      pill={sat && <Session sat={sat} kind="pill" />}
      strip={sat ? <Session sat={sat} kind="strip" /> : null}
      purse={<Purse />}
      ready={<ReadyRakeback />}
      ends={(chat) => (
        <>
          <Bell />
          <ChatButton {...chat} />
          <AccountMenu me={me} />
        </>
      )}
    >
      {sat && <RealityCheck sat={sat} />}
      <SatContext value={sat}>{children}</SatContext>
    </Shell>
  );
}
