import { useEffect, useState } from 'react';
import type { VipApplicationAdmin } from '../../../../client/call.ts';
import { Usd, When } from '../../../kit/amount.tsx';
import { Card, Copy, Empty, Facts, Loaded, Page, Status, words } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { type Columns, Table } from '../../../kit/table.tsx';
import { UserLink } from '../../user-link.tsx';
import { Waiting } from '../../waiting.tsx';
import { Decide, Review } from './review.tsx';

const ONE = 'GET /admin/vip-application/{id}';
const OPEN: readonly string[] = ['NEW', 'IN_REVIEW'];

export function VipApplicationPage({ params: { id = '' } }: { params: { id?: string } }) {
  const one = useRead(ONE, { path: { id } });
  return (
    <Page title="VIP application" of={one}>
      {(application) => (
        <div className="stack">
          <Waiting of={['vip.promo']} about={{ applicationId: id }} />
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
    <Card title="Application">
      <Facts
        of={{
          Player: <UserLink of={a.user} />,
          Status: <Status of={a.status} />,
          Platform: a.platformName,
          'Username there': <Copy text={a.platformUsername} />,
          'Wagered there': <Usd of={a.totalWageredUsd} />,
          'Rank there': a.rank,
          'Contact method': words(a.contactMethod),
          Contact: <Copy text={a.contactUsername} />,
          Country: a.country,
          'How they found us': a.howDidYouHear,
          Note: a.note,
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

/** Shows an image that requires a session. The page therefore loads its bytes with an API request. */
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
    <Card title="Play here">
      {userStats && (
        <Facts
          of={{
            'VIP level now': user.vipLevel,
            Wagered: <Usd of={userStats.totalWagered} />,
            Bets: userStats.totalBets.toLocaleString('en'),
            GGR: <Usd of={userStats.ggr} />,
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
  { head: 'Time', of: ({ createdAt }) => <When at={createdAt} /> },
  { head: 'Risk', of: ({ riskLevel }) => words(riskLevel) },
  { head: 'Note', of: ({ note }) => note, wide: true },
  { head: 'By', of: ({ createdBy }) => <UserLink of={createdBy} /> },
];

const Risk = ({ of: { riskNotes = [] } }: { of: VipApplicationAdmin }) => (
  <Card title="Risk notes">
    <Table rows={riskNotes} columns={NOTES} caption="Risk notes" empty="No risk notes" />
  </Card>
);

const Decided = ({ of: a }: { of: VipApplicationAdmin }) => (
  <Card title="Decision">
    <Facts
      of={{
        Status: <Status of={a.status} />,
        At: <When at={a.decidedAt} />,
        'VIP level': a.grantedVipLevel,
        Grant: a.promoGrantId,
        'Reason (for staff)': a.reason,
        'Comment (shown to player)': a.publicComment,
        Tag: a.tag,
        Note: a.staffNote,
        Assignee: <UserLink of={a.assignee} />,
      }}
    />
  </Card>
);
