import { useEffect, useState } from 'react';
import type { VipApplicationAdmin } from '../../../../client/call.ts';
import { Usd, When } from '../../../kit/amount.tsx';
import { ActButton, Field, Form, Select, TextArea } from '../../../kit/form.tsx';
import { Card, Copy, Empty, Facts, Loaded, Page, Status, words } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { type Columns, Table } from '../../../kit/table.tsx';
import { UserLink } from '../../user-link.tsx';
import { APPLICATIONS } from './applications.tsx';

const ONE = 'GET /admin/vip-application/{id}';
const CHANGE = 'PATCH /admin/vip-application/{id}';
const STALE = [APPLICATIONS, ONE, 'GET /admin/user/{id}'] as const;
const OPEN: readonly string[] = ['NEW', 'IN_REVIEW'];

export function VipApplicationPage({ params: { id = '' } }: { params: { id?: string } }) {
  const one = useRead(ONE, { path: { id } });
  return (
    <Page title="VIP application" of={one}>
      {(application) => (
        <div className="stack">
          <Stated of={application} />
          <Images of={application.images} />
          <div className="cards">
            <Player of={application} />
            <Risk of={application} />
          </div>
          {OPEN.includes(application.status) ? (
            <div className="cards">
              <Review of={application} />
              <Decide of={application} />
            </div>
          ) : (
            <Decided of={application} />
          )}
        </div>
      )}
    </Page>
  );
}

function Stated({ of: a }: { of: VipApplicationAdmin }) {
  return (
    <Card title="What they state">
      <Facts
        of={{
          Player: <UserLink of={a.user} />,
          State: <Status of={a.status} />,
          'Played at': a.platformName,
          'Their name there': <Copy text={a.platformUsername} />,
          'Wagered there': <Usd of={a.totalWageredUsd} />,
          'Rank there': a.rank,
          'To be reached by': words(a.contactMethod),
          'Reached at': <Copy text={a.contactUsername} />,
          Country: a.country,
          'Heard of us': a.howDidYouHear,
          'They write': a.note,
          Applied: <When at={a.createdAt} />,
        }}
      />
    </Card>
  );
}

function Images({ of }: { of: readonly string[] }) {
  return (
    <Card title="Images">
      {of.length === 0 ? (
        <Empty>None were sent.</Empty>
      ) : (
        <div className="pictures">
          {of.map((address, at) => (
            <Picture key={address} id={address.split('/').at(-1)!} name={`Image ${at + 1}`} />
          ))}
        </div>
      )}
    </Card>
  );
}

/** It opens with a session alone, so its bytes are asked for. */
function Picture({ id, name }: { id: string; name: string }) {
  const image = useRead('GET /admin/vip-application/image/{imageId}', { path: { imageId: id } });
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (!image.data) return;
    const made = URL.createObjectURL(image.data);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [image.data]);
  return (
    <Loaded of={image}>
      {() =>
        address && (
          <a href={address} target="_blank" rel="noreferrer">
            <img className="picture" src={address} alt={name} />
          </a>
        )
      }
    </Loaded>
  );
}

function Player({ of: { user, userStats } }: { of: VipApplicationAdmin }) {
  return (
    <Card title="What they have played here">
      {userStats && (
        <Facts
          of={{
            'VIP level now': user.vipLevel,
            Wagered: <Usd of={userStats.totalWagered} />,
            Bets: userStats.totalBets.toLocaleString('en'),
            'For the house': <Usd of={userStats.ggr} />,
            Deposits: <Usd of={userStats.totalDeposits} />,
            Withdrawals: <Usd of={userStats.totalWithdraws} />,
          }}
        />
      )}
    </Card>
  );
}

type Note = NonNullable<VipApplicationAdmin['riskNotes']>[number];
const NOTES: Columns<Note> = [
  { head: 'At', of: ({ createdAt }) => <When at={createdAt} /> },
  { head: 'Risk', of: ({ riskLevel }) => words(riskLevel) },
  { head: 'Note', of: ({ note }) => note, wide: true },
  { head: 'By', of: ({ createdBy }) => <UserLink of={createdBy} /> },
];

const Risk = ({ of: { riskNotes = [] } }: { of: VipApplicationAdmin }) => (
  <Card title="Notes about risk">
    <Table rows={riskNotes} columns={NOTES} caption="Notes about risk" empty="None." />
  </Card>
);

/** Who looks after it, and what staff notes. */
function Review({ of: { id, status, tag, staffNote, assignee } }: { of: VipApplicationAdmin }) {
  const change = useAct(CHANGE, { stale: STALE, said: 'Noted' });
  const take = useAct(CHANGE, { stale: STALE, said: 'In review' });
  return (
    <May op={CHANGE}>
      <Card
        title="Review"
        actions={
          status === 'NEW' && (
            <ActButton act={take} input={{ path: { id }, body: { status: 'IN_REVIEW' } }}>
              Take into review
            </ActButton>
          )
        }
      >
        <Form
          act={change}
          input={(f) => ({
            path: { id },
            body: {
              tag: f.text('tag'),
              note: f.text('note'),
              assigneeId: f.optionalNumber('assigneeId') ?? null,
            },
          })}
        >
          <Field
            name="assigneeId"
            label="Looked after by (user id)"
            hint={assignee ? `now ${assignee.username}; empty: nobody` : 'now nobody'}
            type="number"
            min={1}
            defaultValue={assignee?.id ?? ''}
          />
          <Field name="tag" label="Tag" defaultValue={tag ?? ''} maxLength={50} />
          <TextArea name="note" label="Note, for staff" defaultValue={staffNote ?? ''} maxLength={2000} />
        </Form>
      </Card>
    </May>
  );
}

const DECISIONS = [
  { value: 'approve', label: 'Approve' },
  { value: 'reject', label: 'Reject' },
];

function Decide({ of: { id, user } }: { of: VipApplicationAdmin }) {
  const [what, setWhat] = useState('approve');
  const decide = useAct('POST /admin/vip-application/{id}/decision', {
    stale: STALE,
    said: ({ status }) => words(status),
  });
  const isApproval = what === 'approve';
  return (
    <May op={decide.op}>
      <Card title="Decide">
        <Form
          act={decide}
          input={(f) => ({
            path: { id },
            body: {
              approve: isApproval,
              reason: f.text('reason'),
              vipLevel: f.optionalNumber('vipLevel'),
              promoId: f.optional('promoId'),
              publicComment: f.optional('publicComment'),
            },
          })}
          submit={isApproval ? 'Approve' : 'Reject'}
          kind={isApproval ? 'main' : 'danger'}
          confirm={isApproval ? `Approve it? The level of ${user.username} never falls again.` : 'Reject it?'}
        >
          <Select
            name="what"
            label="What"
            of={DECISIONS}
            value={what}
            onChange={(event) => setWhat(event.target.value)}
          />
          {isApproval && (
            <>
              <Field
                name="vipLevel"
                label={`VIP level; they have ${user.vipLevel}`}
                type="number"
                min={user.vipLevel}
                max={32_767}
                required
              />
              <Field
                name="promoId"
                label="Promotion to grant with it (its id)"
                hint="empty: none"
                pattern="[1-9][0-9]{0,17}"
              />
            </>
          )}
          <TextArea name="reason" label="Reason, for staff" required maxLength={500} rows={2} />
          <TextArea name="publicComment" label="Comment, for the player" maxLength={500} rows={2} />
        </Form>
      </Card>
    </May>
  );
}

const Decided = ({ of: a }: { of: VipApplicationAdmin }) => (
  <Card title="How it was decided">
    <Facts
      of={{
        State: <Status of={a.status} />,
        At: <When at={a.decidedAt} />,
        'VIP level': a.grantedVipLevel,
        Grant: a.promoGrantId,
        'For staff': a.reason,
        'For the player': a.publicComment,
        Tag: a.tag,
        Note: a.staffNote,
        'Looked after by': <UserLink of={a.assignee} />,
      }}
    />
  </Card>
);
