import { useLocation } from 'wouter';
import type { Challenge } from '../../../../client/call.ts';
import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { ButtonLink } from '../../../kit/button.tsx';
import { AmountField } from '../../../kit/form/amount-field.tsx';
import { Check } from '../../../kit/form/choice.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import type { Filled } from '../../../kit/form/read.ts';
import { exactMoney, multiplier } from '../../../kit/intl.ts';
import { Card, Page, Status, YesNo } from '../../../kit/page.tsx';
import { useAct } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { GameField } from '../../game-fields.tsx';
import { listPage } from '../../list/list-page.tsx';
import { text, yesNo } from '../../list/spec.ts';
import { MoneyFacts } from '../../money-facts.tsx';
import { UserLink } from '../../user-link.tsx';

const LIST = 'GET /admin/challenge';
const MAKE = 'PUT /admin/challenge';
/** Returns the state of a challenge. A selected winner is paid only after staff confirm the selection. */
export function stateOf({ winner, winnerConfirmedBy, isHidden }: Challenge): string {
  if (winnerConfirmedBy) return 'PAID';
  if (winner) return 'WINNER_WAITS';
  return isHidden ? 'HIDDEN' : 'ACTIVE';
}

const NewButton = () => (
  <May op={MAKE}>
    <ButtonLink to="/challenges/new" kind="main" icon="plus">
      New challenge
    </ButtonLink>
  </May>
);

type Sort = 'createdAt' | 'rewardUsdAmount' | 'minBetAmountUsd' | 'minBetMultiplier' | 'winnerSelectedAt';

export const Challenges = listPage({
  list: 'challenges',
  title: 'Challenges',
  op: LIST,
  file: 'challenges',
  Actions: NewButton,
  input: ({ text: read, flag }) => ({
    query: {
      winnerSearch: read('winnerSearch'),
      gameSlug: read('gameSlug'),
      isFinished: flag('isFinished'),
      isHidden: flag('isHidden'),
      sortBy: read<Sort>('sortBy') ?? 'createdAt',
      sortOrder: read<'asc' | 'desc'>('sortOrder') ?? 'desc',
    },
  }),
  keyOf: ({ id }) => id,
  nameOf: ({ title }) => title,
  to: ({ id }) => `/challenges/${id}`,
  sorted: { by: 'createdAt', order: 'desc' },
  search: { name: 'winnerSearch', label: 'Winner' },
  filters: [text('gameSlug', 'Game'), yesNo('isFinished', 'Finished'), yesNo('isHidden', 'Hidden')],
  views: [
    { name: 'All challenges', query: {} },
    { name: 'Open', query: { isFinished: 'false' } },
    { name: 'Finished', query: { isFinished: 'true' } },
  ],
  columns: [
    { name: 'title', head: 'Challenge', of: ({ title }) => title, isMain: true },
    {
      name: 'state',
      fields: ['isHidden', 'winnerSelectedAt'],
      head: 'Status',
      of: (challenge) => <Status of={stateOf(challenge)} />,
      isMain: true,
    },
    {
      name: 'targetGame',
      fields: ['targetGame.name'],
      head: 'Game',
      of: ({ targetGame }) => targetGame.name,
    },
    {
      name: 'minBetAmountUsd',
      head: 'Min bet',
      of: ({ minBetAmountUsd }) => <Usd of={minBetAmountUsd} />,
      end: true,
      sort: 'minBetAmountUsd',
    },
    {
      name: 'minBetMultiplier',
      head: 'Min multiplier',
      of: ({ minBetMultiplier }) => multiplier(minBetMultiplier),
      end: true,
      sort: 'minBetMultiplier',
    },
    {
      name: 'rewardAmount',
      fields: ['rewardAmount', 'rewardCurrency'],
      head: 'Reward',
      of: (c) => <Amount of={c.rewardAmount} in={c.rewardCurrency} />,
      end: true,
      sort: 'rewardUsdAmount',
    },
    { name: 'validBetsCount', head: 'Bets', of: ({ validBetsCount }) => validBetsCount, end: true },
    {
      name: 'winner',
      fields: ['winner.id', 'winner.username'],
      head: 'Winner',
      of: ({ winner }) => <UserLink of={winner} />,
      sort: 'winnerSelectedAt',
    },
    { name: 'createdAt', head: 'Created', of: ({ createdAt }) => <When at={createdAt} />, sort: 'createdAt' },
  ],
  empty: 'No challenges yet',
});

export function NewChallenge() {
  const [, goTo] = useLocation();
  const make = useAct(MAKE, {
    stale: [LIST],
    said: 'Challenge created',
    onDone: ({ id }) => goTo(`/challenges/${id}`),
  });
  return (
    <Page title="New challenge">
      <Card>
        <p className="dim">
          The first bet that meets the target wins. Only bets placed after it is shown count.
        </p>
        <Form
          act={make}
          input={(f) => ({ body: challengeOf(f) })}
          submit="Create challenge"
          confirm="Create this challenge?"
          tells={({ body }) => <ChallengeStake of={body} />}
        >
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

/** The amounts at stake before a challenge is saved. */
export const ChallengeStake = ({ of }: { of: ReturnType<typeof challengeOf> }) => (
  <MoneyFacts
    player={null}
    label="Reward"
    amount={of.rewardAmount}
    currencyId={of.rewardCurrency}
    of={{
      'Min bet': exactMoney(of.minBetAmountUsd, 'USD'),
      'Min multiplier': multiplier(of.minBetMultiplier),
      'Shown to players': <YesNo of={!of.isHidden} />,
    }}
  />
);

export const ChallengeFields = ({ of }: { of?: Challenge }) => (
  <>
    <div className="group">
      <GameField
        name="gameSlug"
        label="Game"
        value={of?.targetGame.slug}
        shown={of?.targetGame.name}
        required
      />
      <AmountField name="minBetAmountUsd" label="Min bet (USD)" defaultValue={of?.minBetAmountUsd} required />
      <Field
        name="minBetMultiplier"
        label="Min multiplier"
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
        label="Reward currency"
        defaultValue={of?.rewardCurrency ?? 'USDT'}
        required
        maxLength={16}
      />
    </div>
    <Check name="isHidden" label="Hidden from players" defaultChecked={of?.isHidden ?? false} />
  </>
);
