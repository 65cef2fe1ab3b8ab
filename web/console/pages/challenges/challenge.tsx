import { createContext, use } from 'react';
import { Link, useLocation } from 'wouter';
import type { Challenge, ChallengeBetRow } from '../../../../client/call.ts';
import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { Check } from '../../../kit/form/choice.tsx';
import { Field, TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { multiplier } from '../../../kit/intl.ts';
import { Note } from '../../../kit/note.tsx';
import { Card, Facts, Loaded, Page, Status, YesNo } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May, useMissing } from '../../../kit/session.tsx';
import { listPart } from '../../list/list-page.tsx';
import { player, text } from '../../list/spec.ts';
import { MoneyFacts } from '../../money-facts.tsx';
import { UserLink } from '../../user-link.tsx';
import { Waiting } from '../../waiting.tsx';
import { ChallengeFields, ChallengeStake, challengeOf, stateOf } from './challenges.tsx';

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
          <Card title="Terms">
            <Facts
              of={{
                Status: <Status of={stateOf(challenge)} />,
                Hidden: <YesNo of={challenge.isHidden} />,
                Game: challenge.targetGame.name,
                'Min bet': <Usd of={challenge.minBetAmountUsd} />,
                'Min multiplier': challenge.minBetMultiplier,
                Reward: <Amount of={challenge.rewardAmount} in={challenge.rewardCurrency} />,
                'Reward in USD': <Usd of={challenge.rewardUsdAmount} />,
                'Bets that can win': challenge.validBetsCount,
                Winner: challenge.winner && <UserLink of={challenge.winner} />,
                'Winning bet': challenge.betId ? (
                  <Link href={`/bets/${challenge.betId}`}>{challenge.betId}</Link>
                ) : null,
                'Winner since': <When at={challenge.winnerSelectedAt} />,
                'Paid by': challenge.winnerConfirmedBy && <UserLink of={challenge.winnerConfirmedBy} />,
                'Created by': <UserLink of={challenge.creator} />,
                Created: <When at={challenge.createdAt} />,
              }}
            />
          </Card>
          <Bets of={challenge} />
          {challenge.winnerConfirmedBy ? <RollBack of={challenge} /> : <Change of={challenge} />}
        </div>
      )}
    </Page>
  );
}

/** The challenge of the page, because a cell of the list receives only its row. */
const Rewarded = createContext<Challenge | undefined>(undefined);

/** Pays the reward for a bet. */
function Pay({ of: { betId, user } }: { of: ChallengeBetRow }) {
  const { id, rewardAmount, rewardCurrency } = use(Rewarded)!;
  const award = useAct(AWARD, { stale: STALE, said: 'Reward paid' });
  return (
    <ActButton
      act={award}
      input={{ path: { id }, body: { betId, sendNotification: true } }}
      confirm={`Pay the reward to ${user.username}? This ends the challenge.`}
      tells={<MoneyFacts player={user.username} amount={rewardAmount} currencyId={rewardCurrency} />}
    >
      Pay reward
    </ActButton>
  );
}

const BetList = listPart<typeof BETS, { id: string; isFinished: boolean }>({
  list: 'challenge-bets',
  title: 'Winning bets',
  op: BETS,
  file: 'challenge',
  take: 20,
  input: ({ text: read, number }, { id }) => ({
    path: { id },
    query: {
      userId: number('userId'),
      betId: read('betId'),
      sortBy: read<'settledAt' | 'usdAmount' | 'multiplier'>('sortBy'),
      sortOrder: read<'asc' | 'desc'>('sortOrder'),
    },
  }),
  keyOf: ({ betId }) => betId,
  idField: 'betId',
  to: ({ betId }) => `/bets/${betId}`,
  without: ({ isFinished }) => (isFinished ? ['pay'] : []),
  sorted: { by: 'settledAt', order: 'asc' },
  filters: [player(), text('betId', 'Bet ID')],
  columns: [
    { name: 'betId', head: 'Bet', of: ({ betId }) => betId },
    {
      name: 'user',
      fields: ['userId', 'user.username'],
      head: 'Player',
      of: ({ user }) => <UserLink of={user} />,
      isMain: true,
    },
    { name: 'amount', head: 'Bet amount', of: (b) => <Amount of={b.amount} in={b.currencyId} />, end: true },
    { name: 'usdAmount', head: 'Value', of: (b) => <Usd of={b.usdAmount} />, end: true, sort: 'usdAmount' },
    { name: 'payout', head: 'Payout', of: (b) => <Amount of={b.payout} in={b.currencyId} />, end: true },
    {
      name: 'multiplier',
      head: 'Multiplier',
      of: (b) => multiplier(b.multiplier),
      end: true,
      sort: 'multiplier',
      isMain: true,
    },
    { name: 'settledAt', head: 'Settled', of: ({ settledAt }) => <When at={settledAt} />, sort: 'settledAt' },
    { name: 'pay', fields: [], head: 'Reward', of: (bet) => <Pay of={bet} /> },
  ],
  empty: 'No bet meets the target yet',
  art: 'no-bets',
});

/** Bets that can win the challenge. Staff give the reward to the player of one of them. */
function Bets({ of: challenge }: { of: Challenge }) {
  const isFinished = challenge.winnerConfirmedBy !== null;
  return (
    <Card title="Bets that can win">
      <Rewarded value={challenge}>
        <BetList of={{ id: challenge.id, isFinished }} />
      </Rewarded>
      {!isFinished && <AwardOther of={challenge} />}
    </Card>
  );
}

/** Gives the reward to a bet that is not in the list, by its id. The server checks the bet against the rules of the challenge. */
function AwardOther({ of: { id, rewardAmount, rewardCurrency } }: { of: Challenge }) {
  const award = useAct(AWARD, { stale: STALE, said: 'Reward paid' });
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
          submit="Pay reward"
          confirm="Pay the reward for this bet? This ends the challenge."
          tells={({ body }) => (
            <>
              <PlayerOfBet id={body.betId} />
              <MoneyFacts
                player={null}
                amount={rewardAmount}
                currencyId={rewardCurrency}
                of={{ Bet: body.betId }}
              />
            </>
          )}
        >
          <Field name="bet" label="Bet ID" pattern="[1-9][0-9]{0,17}" required />
          <Check name="sendNotification" label="Notify the winner" defaultChecked />
        </Form>
      </details>
    </May>
  );
}

const ALL_BETS = 'POST /admin/bets';

/** The player of a bet that staff chose by its id, if this account may read bets. */
function PlayerOfBet({ id }: { id: string }) {
  const isEnabled = useMissing(ALL_BETS) === undefined;
  const found = useRead(ALL_BETS, { body: { where: { id }, take: 1, page: 1 } }, { isEnabled });
  if (!isEnabled) return null;
  return (
    <Loaded of={found}>
      {({ data: [bet] }) =>
        bet ? (
          <Facts isRows of={{ Player: <UserLink of={bet.user} /> }} />
        ) : (
          <Note kind="warn">Bet not found</Note>
        )
      }
    </Loaded>
  );
}

function Change({ of }: { of: Challenge }) {
  const { id, title, imageUrl } = of;
  const [, goTo] = useLocation();
  const change = useAct('PATCH /admin/challenge/{id}', { stale: STALE, said: 'Challenge saved' });
  const picture = useAct('POST /admin/challenge/{id}/image', { stale: STALE, said: 'Image saved' });
  const remove = useAct('DELETE /admin/challenge/{id}', {
    stale: [LIST],
    said: 'Challenge deleted',
    onDone: () => goTo('/challenges', { replace: true }),
  });
  return (
    <May op={change.op}>
      <div className="cards">
        <Card
          title="Edit challenge"
          actions={
            <ActButton act={remove} input={{ path: { id } }} kind="danger" confirm={`Delete “${title}”?`}>
              Delete
            </ActButton>
          }
        >
          <p className="dim">
            If you change the game, bet or multiplier, only bets from now on count. Once there is a winner,
            you can only show or hide the challenge.
          </p>
          <Form
            act={change}
            input={(f) => ({ path: { id }, body: challengeOf(f) })}
            confirm={`Change “${title}”?`}
            tells={({ body }) => <ChallengeStake of={body as ReturnType<typeof challengeOf>} />}
          >
            <ChallengeFields of={of} />
          </Form>
        </Card>
        <Card title="Image">
          {imageUrl && <img className="picture" src={imageUrl} alt={title} />}
          <Form
            act={picture}
            input={(f) => ({ path: { id }, form: { image: f.file('image') ?? new Blob() } })}
            submit="Save image"
            isEmptied
          >
            <Field
              name="image"
              label="Image"
              hint="Shown at 480 × 640 pixels"
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

function RollBack({ of: { id, winner, rewardAmount, rewardCurrency } }: { of: Challenge }) {
  const rollBack = useAct('POST /admin/challenge/{id}/rollback', {
    stale: STALE,
    said: 'Reward reversed',
  });
  return (
    <May op={rollBack.op}>
      <Card title="Reverse reward">
        <p className="dim">This bet can’t win the challenge again. Another one can.</p>
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
          submit="Reverse reward"
          kind="danger"
          confirm="Reverse the reward?"
          tells={() => (
            <MoneyFacts player={winner?.username ?? '–'} amount={rewardAmount} currencyId={rewardCurrency} />
          )}
        >
          <TextArea name="reason" label="Reason" required maxLength={500} />
          <Check
            name="withdrawLessIfNotEnoughBalance"
            label="If the balance is lower than the reward, take only the balance"
          />
          <Check name="sendNotification" label="Notify the player" defaultChecked />
        </Form>
      </Card>
    </May>
  );
}
