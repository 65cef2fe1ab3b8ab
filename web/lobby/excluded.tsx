import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { When } from '../kit/amount.tsx';
import { Page } from '../kit/page.tsx';
import { useRead } from '../kit/query.ts';
import { type Excluded, useExclusion } from './exclusion.ts';
import { useOverlayLink } from './frame/overlay.ts';
import { words } from './words.ts';

/** URLs of games and offers, which excluded players must not see. Offers are advertising. The wallet itself closes deposits. */
const CLOSED = /^\/(games|casino|play|providers|offers)(\/|$)/;
const OFFERS = /^\/offers(\/|$)/;
/**
 * Games with rounds. An excluded player may finish an open round. The pages of these games show the exclusion themselves when the round has
 * ended.
 */
const WITH_ROUNDS = ['mines', 'monkey-run', 'blackjack'] as const;

/** Replaces play, deposits and offers with a notice as soon as this tab learns of an exclusion. */
export function Guarded({ path, children }: { path: string; children: ReactNode }) {
  const excluded = useExclusion();
  const hasRounds = WITH_ROUNDS.some((name) => path === `/games/${name}`);
  if (!excluded || hasRounds || !CLOSED.test(path)) return children;
  return (
    <Page title={words.notice.title}>
      <Notice of={excluded}>
        {OFFERS.test(path) && <p>{words.notice.offers}</p>}
        <OpenRounds />
      </Notice>
    </Page>
  );
}

/** Shows that play is blocked, until when, and which actions are still available. */
export function Notice({ of: { until }, children }: { of: Excluded; children?: ReactNode }) {
  const { forGood, lasts, may, withdraw } = words.notice;
  const link = useOverlayLink();
  return (
    <section className="card notice" role="status">
      <p>{until === null ? forGood : lasts}</p>
      {until !== null && (
        <p>
          <strong>
            <When at={until} />
          </strong>
        </p>
      )}
      <p>{may}</p>
      {children}
      <div className="actions">
        <Link href={link('wallet', 'withdraw')} className="button">
          {withdraw}
        </Link>
        <Link href="/protection" className="button">
          {words.menu.protection}
        </Link>
        <Link href="/help" className="button">
          {words.menu.help}
        </Link>
      </div>
    </section>
  );
}

/** Links to open rounds, which the player may finish. */
function OpenRounds() {
  const { data } = useRead('GET /bets', { query: { status: 'CREATED', take: 20 } });
  const open = WITH_ROUNDS.filter((name) => data?.data.some(({ game }) => game.slug === name));
  if (open.length === 0) return null;
  return (
    <>
      <p>{words.notice.open}</p>
      <div className="actions">
        {open.map((name) => (
          <Link key={name} href={`/games/${name}`} className="button">
            {words.games[name]}
          </Link>
        ))}
      </div>
    </>
  );
}
