import type { DepositReview } from '../../../../client/call.ts';
import { Amount, Coin, Usd, When } from '../../../kit/amount.tsx';
import { Badge } from '../../../kit/figures.tsx';
import { Card, Copy, Facts, Status, words } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { Network } from '../../network.tsx';
import { Checks } from '../../review/checks.tsx';
import { Player } from '../../review/player.tsx';
import { reviewPage } from '../../review/review-page.tsx';
import type { Check } from '../../review/spec.ts';
import { UserLink } from '../../user-link.tsx';
import { Decision } from './decision.tsx';
import { Past, Proposal } from './proposals.tsx';
import { APPROVE, LIST, proposalOf, REVIEW } from './shared.ts';

export const DepositReviewCase = reviewPage<typeof LIST, DepositReview>({
  title: 'Deposits under review',
  path: '/deposit-reviews',
  op: LIST,
  queues: [{ name: 'Under review', value: 'review', input: { query: { page: 1, take: 50 } } }],
  rowOf: (d) => ({
    id: d.id,
    name: d.user?.username ?? 'No owner',
    avatar: d.user?.avatar,
    end: <Usd of={d.usdAmount} />,
    usdAmount: d.usdAmount,
    about: <Amount of={d.amount} in={d.currencyId} />,
    at: d.createdAt,
    mark: proposalOf(d) ? (
      <Badge tone="warn" icon={null}>
        Needs 2nd approval
      </Badge>
    ) : (
      d.reasons[0] && <Badge>{words(d.reasons[0])}</Badge>
    ),
    text: `${d.payAddress ?? ''} ${d.txHash ?? ''}`,
  }),
  empty: 'No deposits need a decision',
  search: 'Player, address or transaction',
  useCase: (id) => {
    const one = useRead(LIST, { query: { id, page: 1, take: 1 } });
    return { ...one, data: one.data && (one.data.data[0] ?? null) };
  },
  headingOf: (d) => ({
    picture: <Coin of={d.currencyId} size={40} />,
    title: (
      <>
        <Amount of={d.amount} in={d.currencyId} />{' '}
        <small>
          <Usd of={d.usdAmount} />
        </small>
      </>
    ),
    about: (
      <>
        {d.user ? <UserLink of={d.user} /> : <span>No owner</span>}
        <span>
          Arrived <When at={d.createdAt} />
        </span>
      </>
    ),
    badges: <Status of={d.status} />,
  }),
  Body,
  Side: ({ of }) => (
    <>
      <Proposal of={of} />
      {of.user && <Player of={of.user} />}
    </>
  ),
  // Only a proposal can be approved or rejected.
  decides: (d) => (proposalOf(d) ? [REVIEW, APPROVE] : [REVIEW]),
  Decision,
});

function Body({ of: d }: { of: DepositReview }) {
  return (
    <>
      <Checks title="Reasons" of={checksOf(d)} />
      <div className="pair">
        <Card title="Received">
          <Facts
            isRows
            of={{
              Amount: <Amount of={d.amount} in={d.currencyId} />,
              'In suspense': <Amount of={d.suspended} in={d.currencyId} />,
              Confirmed: d.confirmedAt ? <When at={d.confirmedAt} /> : 'Not yet',
              ...(d.creditedAt && { Credited: <When at={d.creditedAt} /> }),
              'Converted by the provider': d.outcomeAmount && (
                <Amount of={d.outcomeAmount} in={d.outcomeCurrencyId ?? ''} />
              ),
            }}
          />
        </Card>
        <Card title="Reported">
          <Facts
            isRows
            of={{
              Amount: d.reportedAmount ?? '–',
              Coin: d.reportedCurrency,
              Network: <Network of={d.networkId} in={d.currencyId} />,
              'Possible owners':
                d.candidates.length === 0
                  ? null
                  : d.candidates.map((user) => <UserLink key={user.id} of={user} />),
            }}
          />
        </Card>
      </div>
      <Card title="Payment">
        <Facts
          of={{
            'Paid to': d.payAddress && <Copy text={d.payAddress} />,
            Memo: d.payMemo && <Copy text={d.payMemo} />,
            Transaction: d.txHash && <Copy text={d.txHash} />,
            'Provider ID': d.externalId && <Copy text={d.externalId} />,
          }}
        />
        {d.report && <pre>{d.report}</pre>}
      </Card>
      <Past of={d} />
    </>
  );
}

const reasonOf = (reason: string): string =>
  reason === 'USER_BANNED' ? 'The player was banned when the money arrived' : words(reason);

function aboutReason(reason: string, { status }: DepositReview): string | undefined {
  if (reason !== 'USER_BANNED') return undefined;
  return status === 'ON_HOLD'
    ? 'The money is in the player’s balance. The deposit stays on hold until the ban is lifted.'
    : 'The money was credited all the same.';
}

/** The reasons of the review, and what is known about the payment. */
const checksOf = (d: DepositReview): Check[] => [
  ...d.reasons.map(
    (reason): Check => ({ kind: 'warn', name: reasonOf(reason), about: aboutReason(reason, d) }),
  ),
  ...(d.reportedCurrency === null
    ? []
    : [{ kind: 'warn', name: 'The provider reported another coin', about: d.reportedCurrency } as const]),
  d.confirmedAt
    ? { kind: 'good', name: 'Confirmed by the network' }
    : { kind: 'warn', name: 'Not confirmed by the network yet' },
  d.user ? { kind: 'good', name: 'Owner is known' } : { kind: 'warn', name: 'Owner is not known' },
];
