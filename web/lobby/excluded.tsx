import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { When } from '../kit/amount.tsx';
import { Page } from '../kit/page.tsx';
import { type Excluded, useExclusion } from './exclusion.ts';
import { words } from './words.ts';

/** Where one plays, pays in, or is offered something: whoever is excluded is not advertised to. */
const CLOSED = /^\/(games|casino|play|providers|offers|wallet\/(deposit|skins))(\/|$)/;
const OFFERS = /^\/offers(\/|$)/;

/** Stands in place of play, deposits and offers for whoever is excluded: from the moment at which this tab hears of it. */
export function Guarded({ path, children }: { path: string; children: ReactNode }) {
  const excluded = useExclusion();
  return excluded && CLOSED.test(path) ? <Notice of={excluded} isOffer={OFFERS.test(path)} /> : children;
}

function Notice({ of: { until }, isOffer }: { of: Excluded; isOffer: boolean }) {
  const { title, forGood, lasts, may, offers, withdraw } = words.notice;
  return (
    <Page title={title}>
      <section className="card notice" role="status">
        <p>{until === null ? forGood : lasts}</p>
        {until !== null && (
          <p>
            <strong>
              <When at={until} />
            </strong>
          </p>
        )}
        {isOffer && <p>{offers}</p>}
        <p>{may}</p>
        <div className="actions">
          <Link href="/wallet/withdraw" className="button">
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
    </Page>
  );
}
