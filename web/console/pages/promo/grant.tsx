import type { Answer, Input, PromoAdmin } from '../../../../client/call.ts';
import { AmountField } from '../../../kit/form/amount-field.tsx';
import { TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import type { Filled } from '../../../kit/form/read.ts';
import { Select } from '../../../kit/form/select.tsx';
import { exactMoney, plural } from '../../../kit/intl.ts';
import { Note } from '../../../kit/note.tsx';
import { Card, Facts, words } from '../../../kit/page.tsx';
import { useAct } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { PlayersField } from '../../player-fields.tsx';
import { usePlayerName } from '../../player-name.ts';
import { UserLink } from '../../user-link.tsx';
import { useCurrencies } from '../choices.ts';
import { GRANTS } from '../user/shared.ts';
import { PAYS } from './approval.tsx';
import { grantOf, timesOf } from './cost.ts';
import { Reward } from './reward.tsx';
import { wageringOf } from './wagering.ts';

type Body = Input<typeof PAYS>['body'];
type Granted = Answer<typeof PAYS>;

export function GrantToPlayers({ of: promo }: { of: PromoAdmin }) {
  const { id, reward } = promo;
  const currencies = useCurrencies();
  const grant = useAct(PAYS, { stale: ['GET /admin/promo/{id}', GRANTS], said: summaryOf });
  return (
    <May op={grant.op}>
      <Card title="Grant to players">
        <div className="stack">
          <Form
            act={grant}
            input={(f) => {
              const userIds = [...new Set([...f.list('userIds'), ...f.list('moreIds')])].map(Number);
              const amount = f.optional('amount');
              const currencyId = amount && f.optional('currencyId');
              return { path: { id }, body: { userIds, reason: f.text('reason'), amount, currencyId } };
            }}
            submit="Grant promotion"
            isEmptied
            confirm="Grant this promotion to these players?"
            tells={({ body }, f) => <Stake of={givenBy(promo, body)} players={playersOf(body, f)} />}
          >
            <PlayersField name="userIds" label="Players" />
            <details>
              <summary>Add many by ID</summary>
              <TextArea
                name="moreIds"
                label="User IDs"
                hint="Comma-separated or one per line; at most 500 players in all"
                rows={2}
              />
            </details>
            <TextArea name="reason" label="Reason" required maxLength={500} rows={2} />
            {reward.kind !== 'FREE_SPINS' && (
              <>
                <AmountField name="amount" label="Amount, if different from the promotion" />
                <Select
                  name="currencyId"
                  label="Currency of this amount"
                  of={currencies}
                  none={`${reward.currencyId} (the promotion’s)`}
                />
              </>
            )}
          </Form>
          {grant.answered && grant.answeredTo && (
            <Outcome of={grant.answered} promo={givenBy(promo, grant.answeredTo.body)} />
          )}
        </div>
      </Card>
    </May>
  );
}

const players = (count: number) => plural(count, { one: '# player', other: '# players' });

const summaryOf = ({ granted, skipped }: Granted): string =>
  skipped.length === 0
    ? `Granted to ${players(granted)}`
    : `Granted to ${players(granted)}, refused for ${skipped.length}`;

/** The promotion with the amount of the request, if there is one. With a fixed amount there is no deposit to be wagered. */
const givenBy = (promo: PromoAdmin, { amount, currencyId = promo.reward.currencyId }: Body): PromoAdmin =>
  amount ? { ...promo, reward: { ...promo.reward, amount, currencyId }, wagerBase: 'BONUS' } : promo;

/** The players of the request. Those who were chosen by name have their names. */
function playersOf({ userIds }: Body, f: Filled): Named[] {
  const names = f.all('userIdsName');
  const known = new Map(f.list('userIds').map((id, at) => [Number(id), names[at]]));
  return userIds.map((userId) => ({ userId, username: known.get(userId) }));
}

type StakeProps = { of: PromoAdmin; players: readonly Named[] };

/** The players and the amounts of a grant, before it is made. The total of free spins is that of their bets. */
function Stake({ of: promo, players }: StakeProps) {
  const each = grantOf(promo.reward);
  const total = each && timesOf(each, players.length);
  return (
    <Facts
      isRows
      of={{
        Players: <Names of={players} />,
        'Each gets': <Reward of={promo} isExact />,
        'All together, at most': total ? exactMoney(total.amount, total.currencyId) : 'No fixed amount',
        Wagering: wageringOf(promo),
      }}
    />
  );
}

const MOST = 20;
type Named = { userId: number; username?: string | null };

function Names({ of }: { of: readonly Named[] }) {
  const more = of.length - MOST;
  return (
    <>
      {of.slice(0, MOST).map((player, at) => (
        <span key={player.userId}>
          {at > 0 && ', '}
          <Name of={player} />
        </span>
      ))}
      {more > 0 && ` and ${more} more`}
    </>
  );
}

/** A player by name. The name of a player who was added by id is looked up. */
const Name = ({ of: { userId, username } }: { of: Named }) =>
  username ? <UserLink of={{ id: userId, username }} /> : <FoundName id={userId} />;

function FoundName({ id }: { id: number }) {
  return <UserLink of={{ id, username: usePlayerName(id) }} />;
}

/** The players who received the grant, and those who were skipped, with the reason. */
function Outcome({ of: { players: got, skipped }, promo }: { of: Granted; promo: PromoAdmin }) {
  return (
    <>
      {got.length > 0 && (
        <Note kind="good">
          <Names of={got} /> got <Reward of={promo} isExact />
          {got.length > 1 && ' each'}.
        </Note>
      )}
      {skipped.length > 0 && (
        <Note kind="warn">
          <p>Not granted to:</p>
          <ul>
            {skipped.map((player) => (
              <li key={player.userId}>
                {player.username ? <Name of={player} /> : `#${player.userId}`}:{' '}
                {REASONS[player.rule] ?? words(player.rule)}
              </li>
            ))}
          </ul>
        </Note>
      )}
    </>
  );
}

/** Why a player does not get a promotion, by the condition that they do not meet or the code of the error. */
const REASONS: Readonly<Record<string, string>> = {
  MIN_DEPOSIT: 'has made no deposit of the required amount',
  DEPOSIT_SUM: 'has not deposited enough',
  TURNOVER: 'has not wagered enough',
  REGISTERED: 'signed up at another time',
  AFFILIATE_CODE: 'signed up without one of the referral codes',
  EMAIL: 'has not verified the email address',
  KYC_TIER: 'has not completed the required verification',
  VIP_LEVEL: 'has a lower VIP level',
  ACCOUNT_AGE: 'signed up too recently',
  COUNTRY: 'is in a country where it is not allowed',
  IP: 'shares an IP address with a player who has it',
  DEVICE: 'shares a device with a player who has it',
  PERSON: 'has it with another account',
  OWN_ACCOUNT: 'is your own account',
  ACCOUNT_CONNECTED: 'is connected with your account',
  USER_NOT_FOUND: 'does not exist',
  USER_BANNED: 'is banned',
  SELF_EXCLUDED: 'is excluded from play',
  AUTH_GEO_BLOCKED: 'is in a blocked country',
  PROMO_EXHAUSTED: 'the grant limit or the budget is used up',
  PROMO_ALREADY_USED: 'already has it',
  PROMO_TERMS_CHANGED: 'the terms changed during the grant',
  PROMO_NOT_ACTIVE: 'the promotion was paused or ended during the grant',
};
