import type { GateAnswer } from '../../../../client/call.ts';
import { Icon } from '../../../kit/icon.tsx';
import { Card, Loaded } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { GATE } from './shared.ts';

const ACTIONS: Readonly<Record<GateAnswer['action'], string>> = {
  bet: 'Bet',
  deposit: 'Deposit',
  withdraw: 'Withdraw',
  bonus: 'Receive bonuses',
};

/** Lists the actions that the gate would allow or refuse now, with the reasons for each refusal. */
export function Gate({ id }: { id: number }) {
  const gate = useRead(GATE, { path: { id } });
  // After a failed request, the earlier response may be out of date.
  const now = gate.error ? undefined : gate.data;
  return (
    <Card title="What the player can do now">
      <Loaded of={{ ...gate, data: now }}>
        {({ actions }) => (
          <ul className="gate">
            {actions.map((answer) => (
              <Answered key={answer.action} of={answer} />
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}

const Answered = ({ of: { action, isAllowed, reasons } }: { of: GateAnswer }) => (
  <li>
    <span className={isAllowed ? 'good' : 'bad'}>
      <Icon name={isAllowed ? 'circle-check' : 'ban'} size={18} label={isAllowed ? 'Allowed' : 'Blocked'} />
    </span>
    <div>
      {ACTIONS[action]}
      {reasons.map(({ code, sentence }) => (
        <p key={code} className="dim xs" title={code}>
          {sentence}
        </p>
      ))}
    </div>
  </li>
);
