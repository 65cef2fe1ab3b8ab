import { useState } from 'react';
import type { ReceivedAdminTipRow, UserTipLimits, UserTipRow } from '../../../../client/call.ts';
import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { Countdown } from '../../../kit/countdown.tsx';
import { Skeleton } from '../../../kit/figures.tsx';
import { Segmented } from '../../../kit/form/toggle.tsx';
import { money, percent } from '../../../kit/intl.ts';
import { List } from '../../../kit/list.tsx';
import { Note } from '../../../kit/note.tsx';
import { Card, Empty, Loaded, Page } from '../../../kit/page.tsx';
import { refresh, useRead } from '../../../kit/query.ts';
import type { Columns } from '../../../kit/table.tsx';
import { useSite } from '../../site.ts';
import { words } from '../../words.ts';
import { Progress, RewardTabs, Section } from './parts.tsx';
import { LIMITS, TIPS, TipForm } from './tip-form.tsx';

const TAKE = 10;

/** Sends money to another player, and lists sent and received tips. */
export function Tips() {
  const { tips } = words.club;
  const limits = useRead(LIMITS, {});
  return (
    <Page title={tips.title} filters={<RewardTabs />}>
      <div className="rewards">
        <p className="lead">{tips.hint}</p>
        <div className="halves">
          <Card title={tips.give}>
            <TipForm />
          </Card>
          <div className="stack">
            <Card title={tips.limits}>
              <Loaded of={limits} skeleton={<Skeleton height={120} />}>
                {(known) => <Limits of={known} />}
              </Loaded>
            </Card>
            <Note kind="warn" icon="shield-alert">
              {tips.scam}
            </Note>
          </div>
        </div>
        <Own />
        <FromStaff />
      </div>
    </Page>
  );
}

function Limits({ of }: { of: UserTipLimits }) {
  const { tips } = words.club;
  const turnover = useSite()?.tips?.recipientTurnoverPercent ?? 0;
  return (
    <div className="stack">
      <Progress
        label={tips.sentToday}
        value={of.sentTodayUsd}
        of={of.sentLimitUsd}
        text={tips.usedOf(money(of.sentTodayUsd), money(of.sentLimitUsd))}
      />
      <Progress
        label={tips.receivedToday}
        value={of.receivedTodayUsd}
        of={of.receivedLimitUsd}
        text={tips.usedOf(money(of.receivedTodayUsd), money(of.receivedLimitUsd))}
      />
      <p className="sm dim">
        {tips.resetsIn} <Countdown to={of.resetsAt} over={tips.now} onOver={() => void refresh(LIMITS)} />
      </p>
      {turnover > 0 && <p className="sm dim">{tips.turnover(percent(turnover))}</p>}
    </div>
  );
}

function Own() {
  const { tips } = words.club;
  const [direction, setDirection] = useState<'SENT' | 'RECEIVED'>('RECEIVED');
  const [page, setPage] = useState(1);
  const sides = { RECEIVED: tips.received, SENT: tips.sent };
  const list = useRead(TIPS, { query: { direction, page, take: TAKE } });
  const columns: Columns<UserTipRow> = [
    {
      head: direction === 'SENT' ? tips.to : tips.from,
      of: ({ user }) => <span translate="no">{user.username}</span>,
      isMain: true,
    },
    {
      head: tips.amount,
      of: (row) => <Amount of={row.amount} in={row.currencyId} />,
      end: true,
      isMain: true,
    },
    { head: tips.worth, of: ({ usdAmount }) => <Usd of={usdAmount} />, end: true },
    { head: tips.at, of: ({ createdAt }) => <When at={createdAt} /> },
    { head: tips.message, of: ({ message }) => message ?? '–', wide: true },
  ];
  return (
    <Section
      title={tips.history}
      icon="history"
      end={
        <Segmented
          label={tips.history}
          of={sides}
          value={direction}
          onChange={(side) => {
            setDirection(side);
            setPage(1);
          }}
        />
      }
    >
      <List
        of={list}
        columns={columns}
        caption={sides[direction]}
        keyOf={({ id }) => id}
        empty={<Empty title={direction === 'SENT' ? tips.noneSent : tips.noneReceived} />}
        onPage={setPage}
      />
    </Section>
  );
}

/** Money that staff have credited. Players without any do not see this part. */
function FromStaff() {
  const { tips } = words.club;
  const [page, setPage] = useState(1);
  const list = useRead('GET /admin-tips', { query: { page, take: TAKE } });
  if (!list.data || list.data.total === 0) return null;
  const columns: Columns<ReceivedAdminTipRow> = [
    { head: tips.at, of: ({ createdAt }) => <When at={createdAt} />, isMain: true },
    {
      head: tips.amount,
      of: (row) => <Amount of={row.amount} in={row.currencyId} />,
      end: true,
      isMain: true,
    },
    { head: tips.worth, of: ({ usdAmount }) => <Usd of={usdAmount} />, end: true },
  ];
  return (
    <Section title={tips.fromStaff} icon="gift">
      <List
        of={list}
        columns={columns}
        caption={tips.fromStaff}
        keyOf={({ id }) => id}
        empty={tips.noneReceived}
        onPage={setPage}
      />
    </Section>
  );
}
