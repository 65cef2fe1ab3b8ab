import '../account.css';
import type { SessionDto } from '../../../../client/call.ts';
import { Badge, Skeleton } from '../../../kit/figures.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import type { IconName } from '../../../kit/icon.tsx';
import { exactly, relative } from '../../../kit/intl.ts';
import { Loaded } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { words } from '../../words.ts';
import { Setting, Settings } from './setting.tsx';
import { AccountPage } from './tabs.tsx';

const SESSIONS = 'GET /session';

/** The devices on which the player is signed in. */
export function Sessions() {
  const { sessions } = words.account;
  const all = useRead(SESSIONS, {});
  const others = useAct('DELETE /session/log-out/others', {
    stale: [SESSIONS],
    said: ({ revoked }) => sessions.ended(revoked),
  });
  const hasOthers = (all.data?.length ?? 0) > 1;
  return (
    <AccountPage
      title={sessions.title}
      hint={sessions.hint}
      actions={
        hasOthers && (
          <ActButton act={others} input={{}} kind="danger" confirm={sessions.confirmOthers}>
            {sessions.endOthers}
          </ActButton>
        )
      }
    >
      <Loaded of={all} skeleton={<Skeleton height={148} />}>
        {(rows) => (
          <>
            <Settings>
              {rows.map((one) => (
                <Device key={one.id} of={one} />
              ))}
            </Settings>
            {!hasOthers && <p className="sm dim">{sessions.alone}</p>}
          </>
        )}
      </Loaded>
    </AccountPage>
  );
}

function Device({ of }: { of: SessionDto }) {
  const { sessions } = words.account;
  const end = useAct('DELETE /session/{id}', { stale: [SESSIONS], said: sessions.ended(1) });
  const { browser, os, device, ipAddress, countryCode } = of;
  const name = browser && os ? sessions.on(browser, os) : (browser ?? os ?? device ?? sessions.unknown);
  return (
    <Setting
      icon={iconOf(of)}
      title={<span className="clip">{name}</span>}
      state={
        of.current && (
          <Badge tone="good" icon={null}>
            {sessions.current}
          </Badge>
        )
      }
      actions={
        !of.current && (
          <ActButton act={end} input={{ path: { id: of.id } }} size="sm">
            {sessions.end}
          </ActButton>
        )
      }
    >
      <p>
        {[ipAddress, countryCode].filter(Boolean).join(' · ')}
        {ipAddress && ' · '}
        <time dateTime={of.lastUsedAt} title={exactly(of.lastUsedAt)}>
          {sessions.used(relative(of.lastUsedAt))}
        </time>
      </p>
      <p className="xs faint">{sessions.began(exactly(of.createdAt))}</p>
    </Setting>
  );
}

const iconOf = ({ os, device }: SessionDto): IconName =>
  /android|ios|iphone|mobile/i.test(`${os} ${device}`)
    ? 'smartphone'
    : /ipad|tablet/i.test(`${os} ${device}`)
      ? 'tablet'
      : 'monitor';
