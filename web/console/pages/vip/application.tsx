import { useEffect, useState } from 'react';
import type { VipApplicationAdmin } from '../../../../client/call.ts';
import { Usd, When } from '../../../kit/amount.tsx';
import { Avatar } from '../../../kit/avatar.tsx';
import { Badge } from '../../../kit/figures.tsx';
import { number } from '../../../kit/intl.ts';
import { Card, Copy, Empty, Facts, Loaded, Status, words } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { type Columns, Table } from '../../../kit/table.tsx';
import { Player } from '../../review/player.tsx';
import { reviewPage } from '../../review/review-page.tsx';
import { queuesBy } from '../../review/spec.ts';
import { UserLink } from '../../user-link.tsx';
import { Waiting } from '../../waiting.tsx';
import { APPLICATIONS } from './applications.tsx';
import { CHANGE, DECIDE, Decision, isOpen, Review } from './review.tsx';

const ONE = 'GET /admin/vip-application/{id}';

const queue = queuesBy({ sortBy: 'createdAt', sortOrder: 'asc', page: 1, take: 20 });

export const VipReview = reviewPage<typeof APPLICATIONS, VipApplicationAdmin>({
  title: 'VIP applications',
  path: '/vip',
  op: APPLICATIONS,
  queues: [queue('New', 'NEW'), queue('In review', 'IN_REVIEW')],
  rowOf: (a) => ({
    id: a.id,
    name: a.user.username,
    avatar: a.user.avatar,
    end: <Usd of={a.totalWageredUsd} />,
    about: a.platformName,
    at: a.createdAt,
    mark: a.tag && <Badge>{a.tag}</Badge>,
    text: a.platformUsername,
  }),
  empty: 'No applications to review',
  search: 'Player or name elsewhere',
  useCase: (id) => useRead(ONE, { path: { id } }),
  headingOf: (a) => ({
    picture: <Avatar name={a.user.username} image={a.user.avatar} size={40} />,
    title: a.user.username,
    about: (
      <>
        <UserLink of={{ id: a.user.id }} />
        <span>{a.platformName}</span>
        <span>
          Applied <When at={a.createdAt} />
        </span>
      </>
    ),
    badges: <Status of={a.status} />,
  }),
  Body: ({ of }) => (
    <>
      <Waiting of={['vip.promo']} about={{ applicationId: of.id }} />
      <div className="pair">
        <Stated of={of} />
        <PlayHere of={of} />
      </div>
      <Images of={of.images} />
      <Risk of={of} />
    </>
  ),
  Side: ({ of }) => (
    <>
      {isOpen(of) ? <Review of={of} /> : <Decided of={of} />}
      <Player of={of.user} />
    </>
  ),
  decides: () => [CHANGE, DECIDE],
  Decision,
});

function Stated({ of: a }: { of: VipApplicationAdmin }) {
  return (
    <Card title="Application">
      <Facts
        of={{
          Platform: a.platformName,
          'Username there': <Copy text={a.platformUsername} />,
          'Wagered there': <Usd of={a.totalWageredUsd} />,
          'Rank there': a.rank,
          'Contact method': words(a.contactMethod),
          Contact: <Copy text={a.contactUsername} />,
          Country: a.country,
          'How they found us': a.howDidYouHear,
          Note: a.note,
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

function PlayHere({ of: { user, userStats } }: { of: VipApplicationAdmin }) {
  return (
    <Card title="Play here">
      {userStats && (
        <Facts
          of={{
            'VIP level now': user.vipLevel,
            Wagered: <Usd of={userStats.totalWagered} />,
            Bets: number(userStats.totalBets),
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
    <Table
      rows={riskNotes}
      columns={NOTES}
      caption="Risk notes"
      keyOf={({ id }) => id}
      empty="No risk notes"
    />
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
