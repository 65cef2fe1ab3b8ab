import type { SessionDto } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { ActButton } from '../../../kit/form.tsx';
import { Card, Loaded, Page } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { type Columns, Table } from '../../../kit/table.tsx';
import { words } from '../../words.ts';
import { ProfileTabs } from './tabs.tsx';

const SESSIONS = 'GET /session';

/** The player's active sessions. */
export function Sessions() {
  const { sessions } = words.account;
  const all = useRead(SESSIONS, {});
  const others = useAct('DELETE /session/log-out/others', {
    stale: [SESSIONS],
    said: ({ revoked }) => sessions.ended(revoked),
  });
  return (
    <Page title={sessions.title} filters={<ProfileTabs />}>
      <Card
        title={sessions.title}
        actions={
          <ActButton act={others} input={{}} confirm={sessions.confirmOthers}>
            {sessions.endOthers}
          </ActButton>
        }
      >
        <p className="dim">{sessions.hint}</p>
        <Loaded of={all}>
          {(rows) => (
            <Table rows={rows} columns={columns()} caption={sessions.title} keyOf={({ id }) => id} />
          )}
        </Loaded>
      </Card>
    </Page>
  );
}

function columns(): Columns<SessionDto> {
  const { sessions } = words.account;
  return [
    {
      head: sessions.program,
      of: (s) => [s.browser, s.os].filter(Boolean).join(', ') || s.device || sessions.unknown,
    },
    { head: sessions.from, of: (s) => [s.ipAddress, s.countryCode].filter(Boolean).join(', ') },
    { head: sessions.began, of: (s) => <When at={s.createdAt} /> },
    { head: sessions.used, of: (s) => <When at={s.lastUsedAt} /> },
    { head: sessions.ends, of: (s) => <When at={s.expiresAt} /> },
    { head: sessions.what, of: (s) => (s.current ? sessions.current : <End id={s.id} />) },
  ];
}

function End({ id }: { id: string }) {
  const end = useAct('DELETE /session/{id}', { stale: [SESSIONS], said: words.account.sessions.ended(1) });
  return (
    <ActButton act={end} input={{ path: { id } }} kind="quiet">
      {words.account.sessions.end}
    </ActButton>
  );
}
