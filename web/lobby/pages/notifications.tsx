import './notifications.css';
import { Fragment } from 'react';
import { Link } from 'wouter';
import type { Answer } from '../../../client/call.ts';
import { When } from '../../kit/amount.tsx';
import { Skeleton } from '../../kit/figures.tsx';
import { ActButton } from '../../kit/form/act-button.tsx';
import { Icon, type IconName } from '../../kit/icon.tsx';
import { date, relativeDay } from '../../kit/intl.ts';
import { Empty, Loaded, Page } from '../../kit/page.tsx';
import { useAct, useRead } from '../../kit/query.ts';
import { useExclusion } from '../exclusion.ts';
import { useOverlayLink } from '../frame/overlay.ts';
import { words } from '../words.ts';

const LIST = 'GET /notifications';
const CHANGED = [LIST, 'GET /notifications/unread'] as const;
type Notification = Answer<typeof LIST>[number];

export const useNotifications = () => useRead(LIST, {}, { staleMs: 60_000 });

/** The player's notifications, the newest first. */
export function Notifications() {
  const { news } = words;
  const list = useNotifications();
  const remove = useAct('DELETE /notifications', { stale: CHANGED, said: news.deleted });
  const isEmpty = !list.data || list.data.length === 0;
  return (
    <Page
      title={news.title}
      actions={
        isEmpty ? undefined : (
          <>
            {list.data!.some(({ isAware }) => !isAware) && <MarkRead />}
            <ActButton act={remove} input={{}} kind="danger" icon="trash-2" confirm={news.confirmDelete}>
              {news.delete}
            </ActButton>
          </>
        )
      }
    >
      <div className="news-page">
        <NotificationList />
      </div>
    </Page>
  );
}

export function MarkRead() {
  const { news } = words;
  const seen = useAct('POST /notifications/aware', { stale: CHANGED, said: news.allSeen });
  return (
    <ActButton act={seen} input={{}} icon="check-check">
      {news.see}
    </ActButton>
  );
}

/** Notifications with a line between days. */
export function NotificationList() {
  const { news } = words;
  const list = useNotifications();
  return (
    <Loaded of={list} skeleton={<Boxes />}>
      {(all) =>
        all.length === 0 ? (
          <Empty art="no-notices" title={news.none}>
            {news.noneHint}
          </Empty>
        ) : (
          <ul className="news">
            {all.map((one, at) => (
              <Fragment key={one.id}>
                {dayOf(all[at - 1]) !== dayOf(one) && <li className="day">{dayOf(one)}</li>}
                <Item of={one} />
              </Fragment>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

const Boxes = () => (
  <>
    {[1, 2, 3, 4].map((at) => (
      <Skeleton key={at} height={72} />
    ))}
  </>
);

const dayOf = (one: Notification | undefined) => one && (relativeDay(one.createdAt) ?? date(one.createdAt));

/** The part of the wallet that shows the payments. It opens above the current page. */
const PAYMENTS = 'wallet:history';

/** The icon of each type, and the page that shows more. */
const TYPES: Readonly<Record<Notification['type'], readonly [icon: IconName, to?: string]>> = {
  SYSTEM: ['info'],
  SECURITY: ['shield-alert', '/profile/security'],
  DEPOSIT: ['arrow-down-to-line', PAYMENTS],
  WITHDRAW: ['arrow-up-from-line', PAYMENTS],
  PROMO: ['gift', '/offers/promo'],
  RAKEBACK: ['percent', '/offers/rakeback'],
  AFFILIATE: ['users', '/offers/affiliate'],
  TIP: ['hand-coins', '/offers/tips'],
  VIP: ['crown', '/offers/vip'],
  KYC: ['id-card', '/verification'],
  LIMIT: ['gauge', '/protection'],
  LEADERBOARD: ['trophy', '/offers/leaderboards'],
  CHALLENGE: ['target', '/offers/challenges'],
};

function Item({ of: { title, body, type, isAware, createdAt } }: { of: Notification }) {
  const { news } = words;
  const excluded = useExclusion();
  const link = useOverlayLink();
  const [icon, to] = TYPES[type];
  // Excluded players see no rewards.
  const target = to && !(excluded && to.startsWith('/offers')) ? to : undefined;
  return (
    <li className={isAware ? 'item' : 'item fresh'}>
      <span className="in-square">
        <Icon name={icon} size={18} />
      </span>
      <div className="grow">
        <h3>
          {target ? (
            <Link href={target === PAYMENTS ? link('wallet', 'history') : target}>{title}</Link>
          ) : (
            title
          )}
          {!isAware && <span className="hidden"> ({news.fresh})</span>}
        </h3>
        <p>{body}</p>
        <small className="faint">
          {news.types[type]} · <When at={createdAt} />
        </small>
      </div>
      {!isAware && <span className="dot" aria-hidden="true" />}
    </li>
  );
}
