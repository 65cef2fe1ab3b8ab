import { Link, useLocation } from 'wouter';
import type { Challenge } from '../../../../client/call.ts';
import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { type FilterField, Filters, ORDER, useFilters, YES_NO } from '../../../kit/filters.ts';
import { AmountField } from '../../../kit/form/amount-field.tsx';
import { Check } from '../../../kit/form/choice.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import type { Filled } from '../../../kit/form/read.ts';
import { List } from '../../../kit/list.tsx';
import { Card, Page, Status } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import type { Columns } from '../../../kit/table.tsx';
import { Export } from '../../export.tsx';
import { UserLink } from '../../user-link.tsx';

const LIST = 'GET /admin/challenge';
const MAKE = 'PUT /admin/challenge';
const SORTS = [
  'updatedAt',
  'rewardUsdAmount',
  'minBetAmountUsd',
  'minBetMultiplier',
  'winnerSelectedAt',
] as const;

const FILTERS: readonly FilterField[] = [
  { name: 'winnerSearch', label: 'Winner' },
  { name: 'gameSlug', label: 'Game (its slug)' },
  { name: 'isFinished', label: 'Finished', of: YES_NO },
  { name: 'isHidden', label: 'Hidden', of: YES_NO },
  { name: 'sortBy', label: 'By', of: SORTS, none: 'time' },
  ORDER,
];

const COLUMNS: Columns<Challenge> = [
  { head: 'Challenge', of: ({ title }) => title },
  { head: 'State', of: (challenge) => <Status of={stateOf(challenge)} /> },
  { head: 'Game', of: ({ targetGame }) => targetGame.name },
  { head: 'Stake from', of: ({ minBetAmountUsd }) => <Usd of={minBetAmountUsd} />, end: true },
  { head: '× from', of: ({ minBetMultiplier }) => minBetMultiplier, end: true },
  { head: 'Reward', of: (c) => <Amount of={c.rewardAmount} in={c.rewardCurrency} />, end: true },
  { head: 'Bets', of: ({ validBetsCount }) => validBetsCount, end: true },
  { head: 'Winner', of: ({ winner }) => <UserLink of={winner} /> },
  { head: 'Made', of: ({ createdAt }) => <When at={createdAt} /> },
];

/** Returns the state of a challenge. A selected winner is paid only after staff confirm the selection. */
export function stateOf({ winner, winnerConfirmedBy, isHidden }: Challenge): string {
  if (winnerConfirmedBy) return 'PAID';
  if (winner) return 'WINNER_WAITS';
  return isHidden ? 'HIDDEN' : 'ACTIVE';
}

export function Challenges() {
  const filters = useFilters({});
  const { text, flag, page } = filters;
  const query = {
    winnerSearch: text('winnerSearch'),
    gameSlug: text('gameSlug'),
    isFinished: flag('isFinished'),
    isHidden: flag('isHidden'),
    sortBy: text<(typeof SORTS)[number]>('sortBy') ?? ('createdAt' as const),
    sortOrder: text<'asc'>('sortOrder') ?? ('desc' as const),
  };
  const list = useRead(LIST, { query: { ...query, page, take: 50 } });
  return (
    <Page
      title="Challenges"
      filters={<Filters of={FILTERS} in={filters} />}
      actions={
        <>
          <May op={MAKE}>
            <Link href="/challenges/new">New challenge</Link>
          </May>
          <Export op={LIST} input={{ query }} name="challenges" />
        </>
      }
    >
      <List
        of={list}
        columns={COLUMNS}
        caption="Challenges"
        keyOf={({ id }) => id}
        to={({ id }) => `/challenges/${id}`}
        onPage={filters.toPage}
        empty="No challenge is like this."
      />
    </Page>
  );
}

export function NewChallenge() {
  const [, goTo] = useLocation();
  const make = useAct(MAKE, {
    stale: [LIST],
    said: 'The challenge is set up',
    onDone: ({ id }) => goTo(`/challenges/${id}`),
  });
  return (
    <Page title="New challenge">
      <Card>
        <p className="dim">The first bet that meets it wins. Bets count that are made after it is shown.</p>
        <Form act={make} input={(f) => ({ body: challengeOf(f) })} submit="Set up">
          <ChallengeFields />
        </Form>
      </Card>
    </Page>
  );
}

export const challengeOf = (f: Filled) => ({
  gameSlug: f.text('gameSlug'),
  minBetAmountUsd: f.text('minBetAmountUsd'),
  minBetMultiplier: f.number('minBetMultiplier'),
  rewardCurrency: f.text('rewardCurrency'),
  rewardAmount: f.text('rewardAmount'),
  isHidden: f.flag('isHidden'),
});

export const ChallengeFields = ({ of }: { of?: Challenge }) => (
  <>
    <div className="group">
      <Field
        name="gameSlug"
        label="Game (its slug)"
        defaultValue={of?.targetGame.slug}
        required
        maxLength={64}
      />
      <AmountField
        name="minBetAmountUsd"
        label="Stake of at least, in USD"
        defaultValue={of?.minBetAmountUsd}
        required
      />
      <Field
        name="minBetMultiplier"
        label="Multiplier of at least"
        type="number"
        min={1}
        max={1_000_000_000}
        step={0.0001}
        defaultValue={of?.minBetMultiplier}
        required
      />
      <AmountField name="rewardAmount" label="Reward" defaultValue={of?.rewardAmount} required />
      <Field
        name="rewardCurrency"
        label="Currency of the reward"
        defaultValue={of?.rewardCurrency ?? 'USDT'}
        required
        maxLength={16}
      />
    </div>
    <Check name="isHidden" label="Hidden from players" defaultChecked={of?.isHidden ?? false} />
  </>
);
