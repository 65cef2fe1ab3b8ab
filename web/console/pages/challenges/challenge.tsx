import { Link, useLocation } from 'wouter';
import type { Challenge, ChallengeBetRow } from '../../../../client/call.ts';
import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { type FilterField, Filters, ORDER, useFilters } from '../../../kit/filters.ts';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { Check } from '../../../kit/form/choice.tsx';
import { Field, TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { List } from '../../../kit/list.tsx';
import { Card, Facts, Page, Status } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import type { Columns } from '../../../kit/table.tsx';
import { Export } from '../../export.tsx';
import { UserLink } from '../../user-link.tsx';
import { Waiting } from '../../waiting.tsx';
import { ChallengeFields, challengeOf, stateOf } from './challenges.tsx';

const LIST = 'GET /admin/challenge';
const ONE = 'GET /admin/challenge/{id}';
const BETS = 'GET /admin/challenge/{id}/bets';
const AWARD = 'POST /admin/challenge/{id}/award';
const STALE = [LIST, ONE, BETS] as const;

export function ChallengePage({ params: { id = '' } }: { params: { id?: string } }) {
  const one = useRead(ONE, { path: { id } });
  return (
    <Page title={one.data?.title ?? 'Challenge'} of={one}>
      {(challenge) => (
        <div className="stack">
          <Waiting of={['challenge.award', 'challenge.rollback']} about={{ challengeId: id }} />
          <Card title="What it is">
            <Facts
              of={{
                State: <Status of={stateOf(challenge)} />,
                Hidden: challenge.isHidden ? 'yes' : 'no',
                Game: challenge.targetGame.name,
                'Stake of at least': <Usd of={challenge.minBetAmountUsd} />,
                'Multiplier of at least': challenge.minBetMultiplier,
                Reward: <Amount of={challenge.rewardAmount} in={challenge.rewardCurrency} />,
                'Reward in USD': <Usd of={challenge.rewardUsdAmount} />,
                'Bets that can win': challenge.validBetsCount,
                Winner: challenge.winner && <UserLink of={challenge.winner} />,
                'By bet': challenge.betId ? (
                  <Link href={`/bets/${challenge.betId}`}>{challenge.betId}</Link>
                ) : null,
                'Winner since': <When at={challenge.winnerSelectedAt} />,
                'Paid by': challenge.winnerConfirmedBy && <UserLink of={challenge.winnerConfirmedBy} />,
                'Made by': <UserLink of={challenge.creator} />,
                Made: <When at={challenge.createdAt} />,
              }}
            />
          </Card>
          <Bets id={id} isFinished={challenge.winnerConfirmedBy !== null} />
          {challenge.winnerConfirmedBy ? <RollBack id={id} /> : <Change of={challenge} />}
        </div>
      )}
    </Page>
  );
}

const FILTERS: readonly FilterField[] = [
  { name: 'userId', label: 'User id', type: 'number' },
  { name: 'betId', label: 'Bet', type: 'number' },
  { name: 'sortBy', label: 'By', of: ['usdAmount', 'multiplier'], none: 'time' },
  { ...ORDER, of: [{ value: 'desc', label: 'largest or newest first' }], none: 'smallest or oldest first' },
];

const COLUMNS: Columns<ChallengeBetRow> = [
  { head: 'Bet', of: ({ betId }) => betId },
  { head: 'Player', of: ({ user }) => <UserLink of={user} /> },
  { head: 'Stake', of: (b) => <Amount of={b.amount} in={b.currencyId} />, end: true },
  { head: 'In USD', of: ({ usdAmount }) => <Usd of={usdAmount} />, end: true },
  { head: 'Payout', of: (b) => <Amount of={b.payout} in={b.currencyId} />, end: true },
  { head: '×', of: ({ multiplier }) => multiplier, end: true },
  { head: 'Settled', of: ({ settledAt }) => <When at={settledAt} /> },
];

/** Bets that can win the challenge. Staff give the reward to the player of one of them. */
function Bets({ id, isFinished }: { id: string; isFinished: boolean }) {
  const filters = useFilters({});
  const { text, number, page } = filters;
  const query = {
    userId: number('userId'),
    betId: text('betId'),
    sortBy: text<'usdAmount' | 'multiplier'>('sortBy'),
    sortOrder: text<'asc' | 'desc'>('sortOrder'),
  };
  const list = useRead(BETS, { path: { id }, query: { ...query, page, take: 20 } });
  const award = useAct(AWARD, { stale: STALE, said: 'The reward is paid' });
  const pay: Columns<ChallengeBetRow>[number] = {
    head: 'Pay',
    of: ({ betId, user }) => (
      <ActButton
        act={award}
        input={{ path: { id }, body: { betId, sendNotification: true } }}
        confirm={`Pay the reward to ${user.username}? The challenge is finished then.`}
      >
        Pay the reward
      </ActButton>
    ),
  };
  return (
    <Card
      title="Bets that can win"
      actions={<Export op={BETS} input={{ path: { id }, query }} name={`challenge-${id}`} />}
    >
      <Filters of={FILTERS} in={filters} />
      <List
        of={list}
        columns={isFinished ? COLUMNS : [...COLUMNS, pay]}
        caption="Bets that can win"
        keyOf={({ betId }) => betId}
        to={({ betId }) => `/bets/${betId}`}
        onPage={filters.toPage}
        empty="No bet meets it yet."
      />
      {!isFinished && <AwardOther id={id} />}
    </Card>
  );
}

/** Gives the reward to a bet that is not in the list, by its id. The server checks the bet against the rules of the challenge. */
function AwardOther({ id }: { id: string }) {
  const award = useAct(AWARD, { stale: STALE, said: 'The reward is paid' });
  return (
    <May op={AWARD}>
      <details>
        <summary>Pay for another bet</summary>
        <Form
          act={award}
          input={(f) => ({
            path: { id },
            body: { betId: f.text('bet'), sendNotification: f.flag('sendNotification') },
          })}
          submit="Pay the reward"
          confirm="Pay the reward for this bet? The challenge is finished then."
        >
          <Field name="bet" label="Bet" pattern="[1-9][0-9]{0,17}" required />
          <Check name="sendNotification" label="Tell the winner" defaultChecked />
        </Form>
      </details>
    </May>
  );
}

function Change({ of }: { of: Challenge }) {
  const { id, title, imageUrl } = of;
  const [, goTo] = useLocation();
  const change = useAct('PATCH /admin/challenge/{id}', { stale: STALE, said: 'Changed' });
  const picture = useAct('POST /admin/challenge/{id}/image', { stale: STALE, said: 'The image is set' });
  const remove = useAct('DELETE /admin/challenge/{id}', {
    stale: [LIST],
    said: 'Deleted',
    onDone: () => goTo('/challenges', { replace: true }),
  });
  return (
    <May op={change.op}>
      <div className="cards">
        <Card
          title="Change"
          actions={
            <ActButton act={remove} input={{ path: { id } }} kind="danger" confirm={`Delete “${title}”?`}>
              Delete
            </ActButton>
          }
        >
          <p className="dim">
            With another game, stake or multiplier bets count from now on. While it has a winner only whether
            it is hidden can change.
          </p>
          <Form act={change} input={(f) => ({ path: { id }, body: challengeOf(f) })}>
            <ChallengeFields of={of} />
          </Form>
        </Card>
        <Card title="Image">
          {imageUrl && <img className="picture" src={imageUrl} alt={`What players see of “${title}”`} />}
          <Form
            act={picture}
            input={(f) => ({ path: { id }, form: { image: f.file('image') ?? new Blob() } })}
            submit="Set the image"
            isEmptied
          >
            <Field
              name="image"
              label="An image of its own, drawn as 480 × 640 pixels"
              type="file"
              accept="image/*"
              required
            />
          </Form>
        </Card>
      </div>
    </May>
  );
}

function RollBack({ id }: { id: string }) {
  const rollBack = useAct('POST /admin/challenge/{id}/rollback', {
    stale: STALE,
    said: 'The reward is taken back',
  });
  return (
    <May op={rollBack.op}>
      <Card title="Take the reward back">
        <p className="dim">The bet does not win this challenge again; another one can.</p>
        <Form
          act={rollBack}
          input={(f) => ({
            path: { id },
            body: {
              reason: f.text('reason'),
              withdrawLessIfNotEnoughBalance: f.flag('withdrawLessIfNotEnoughBalance'),
              sendNotification: f.flag('sendNotification'),
            },
          })}
          submit="Take it back"
          kind="danger"
          confirm="Take the reward back?"
        >
          <TextArea name="reason" label="Reason" required maxLength={500} />
          <Check
            name="withdrawLessIfNotEnoughBalance"
            label="Take what is there, where that is less than the reward"
          />
          <Check name="sendNotification" label="Tell the player" defaultChecked />
        </Form>
      </Card>
    </May>
  );
}
