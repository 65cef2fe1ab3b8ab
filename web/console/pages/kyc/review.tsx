import type { Answer, KycAdminDetail } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { Avatar } from '../../../kit/avatar.tsx';
import { Card, Facts, Status, words, YesNo } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { type Columns, Table } from '../../../kit/table.tsx';
import { Checks } from '../../review/checks.tsx';
import { Player } from '../../review/player.tsx';
import { reviewPage } from '../../review/review-page.tsx';
import { type Check, queuesBy } from '../../review/spec.ts';
import { Trail } from '../../review/trail.tsx';
import { UserLink } from '../../user-link.tsx';
import { DECIDE, Decision } from './decision.tsx';
import { matches } from './matches.ts';
import { isWaiting, LIST, ONE } from './shared.ts';

const USER = 'GET /admin/user/{id}';

const queue = queuesBy({ sortBy: 'submittedAt', sortOrder: 'asc', page: 1, take: 20 });

export const KycReview = reviewPage<typeof LIST, KycAdminDetail>({
  title: 'Verification',
  path: '/kyc',
  op: LIST,
  queues: [queue('Pending', 'PENDING'), queue('On hold', 'ON_HOLD')],
  rowOf: ({ userId, user, tier, level, submittedAt }) => ({
    id: String(userId),
    key: `${userId}-${tier}`,
    name: user.username,
    avatar: user.avatar,
    about: words(tier),
    end: `Level ${level}`,
    at: submittedAt,
    text: user.email ?? '',
  }),
  empty: 'No cases wait for a decision',
  search: 'Player or ID',
  useCase: (id) => useRead(ONE, { path: { userId: Number(id) } }),
  headingOf: ({ user, level, tiers }) => ({
    picture: <Avatar name={user.username} image={user.avatar} size={40} />,
    title: user.username,
    about: (
      <>
        <UserLink of={{ id: user.id }} />
        <span>Level {level}</span>
      </>
    ),
    badges: tiers.filter(isWaiting).map(({ tier, status }) => <Status key={tier} of={status} />),
  }),
  Body,
  Side: ({ of }) => (
    <>
      <History of={of.history} />
      <Player of={of.user} />
    </>
  ),
  decides: () => [DECIDE],
  Decision,
});

const RESULTS = { PASSED: 'good', FAILED: 'bad', PENDING: 'plain' } as const;

/** The provider's checks of the documents, next to the player's own data. */
function Body({ of: found }: { of: KycAdminDetail }) {
  const documents = found.checks.map(
    ({ name, result, detail, at }): Check => ({
      kind: RESULTS[result],
      name: words(name),
      about: (
        <>
          {detail && `${detail}, `}
          <When at={at} />
        </>
      ),
    }),
  );
  return (
    <>
      <div className="pair">
        <Card>
          {documents.length > 0 ? (
            <Checks title="Documents" of={documents} />
          ) : (
            <>
              <h3>Documents</h3>
              <p className="dim">The provider has not reported any checks yet.</p>
            </>
          )}
          <Facts
            of={{
              'Provider reference': found.providerReference,
              ...(found.clientComment && { 'Provider comment': found.clientComment }),
            }}
          />
        </Card>
        <Card>
          <Checks title="Profile" of={matches(found)} />
          <May op={USER}>
            <Profile id={found.userId} />
          </May>
        </Card>
      </div>
      <Card title="Tiers">
        <Table rows={found.tiers} columns={TIERS} caption="Tiers" keyOf={({ tier }) => tier} />
      </Card>
    </>
  );
}

function Profile({ id }: { id: number }) {
  const { data } = useRead(USER, { path: { id } });
  return data ? <ProfileFacts of={data} /> : null;
}

const ProfileFacts = ({ of: user }: { of: Answer<typeof USER> }) => (
  <Facts
    isRows
    of={{
      Username: user.username,
      Email: user.email,
      'Email verified': <YesNo of={user.emailVerified} />,
      'Signed up': <When at={user.createdAt} />,
    }}
  />
);

const TIERS: Columns<KycAdminDetail['tiers'][number]> = [
  { head: 'Tier', of: ({ tier }) => words(tier), isMain: true },
  { head: 'Status', of: ({ status }) => <Status of={status} />, isMain: true },
  { head: 'Submitted', of: ({ submittedAt }) => <When at={submittedAt} /> },
  { head: 'Decided', of: ({ decidedAt }) => <When at={decidedAt} /> },
  { head: 'By', of: ({ decidedBy }) => <UserLink of={decidedBy} /> },
  { head: 'Valid until', of: ({ expiresAt }) => <When at={expiresAt} /> },
  {
    head: 'Reason',
    of: ({ moderationComment, rejectLabels }) => moderationComment ?? rejectLabels.map(words).join(', '),
    wide: true,
  },
];

const History = ({ of }: { of: KycAdminDetail['history'] }) =>
  of.length > 0 && (
    <Trail
      title="History"
      of={of.map(({ tier, toStatus, actor, reason, at }) => ({
        name: `${words(tier)}: ${words(toStatus).toLowerCase()}`,
        by: actor,
        icon: 'clock',
        about: (
          <>
            {actor && `${actor.username}, `}
            <When at={at} />
            {reason && ` · “${reason}”`}
          </>
        ),
      }))}
    />
  );
