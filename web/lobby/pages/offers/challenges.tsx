import { Link } from 'wouter';
import type { ChallengeMyRow, ChallengePublic } from '../../../../client/call.ts';
import { Amount, Usd, When } from '../../../kit/amount.tsx';
import { Card, Empty, Facts, Loaded, Page } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { type Columns, Table, useFilters } from '../../../kit/table.tsx';
import { State } from '../../state.tsx';
import { words } from '../../words.ts';
import { OfferTabs } from './parts.tsx';

const LIST = 'GET /challenge';
const ONE = 'GET /challenge/{id}';
const MY = 'GET /challenge/my';

/** Challenges: the first player who meets the conditions gets the reward. */
export function Challenges() {
  const { challenges: t } = words.offers;
  const { values, change } = useFilters({ of: 'open' });
  const isFinished = values.of === 'finished';
  const all = useRead(LIST, { query: { isFinished, take: 20 } });
  const own = useRead(MY, { query: { take: 20 } });
  return (
    <Page title={t.title} filters={<OfferTabs />}>
      <div className="stack">
        <p>{t.hint}</p>
        <div className="actions">
          <button type="button" aria-pressed={!isFinished} onClick={() => change({ of: 'open' })}>
            {t.open}
          </button>
          <button type="button" aria-pressed={isFinished} onClick={() => change({ of: 'finished' })}>
            {t.finished}
          </button>
        </div>
        <Loaded of={all}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty>{t.none}</Empty>
            ) : (
              <div className="cards">
                {data.map((one) => (
                  <Short key={one.id} of={one} />
                ))}
              </div>
            )
          }
        </Loaded>
        <Card title={t.own}>
          <Loaded of={own}>{({ data }) => <Own of={data} />}</Loaded>
        </Card>
      </div>
    </Page>
  );
}

function Short({ of: one }: { of: ChallengePublic }) {
  const { challenges: t } = words.offers;
  return (
    <Card title={one.title}>
      <div className="stack">
        {one.imageUrl && <img src={one.imageUrl} alt="" className="wide-image" />}
        <Terms of={one} />
        <Link href={`/offers/challenges/${one.id}`} aria-label={`${t.rules}: ${one.title}`}>
          {t.rules}
        </Link>
      </div>
    </Card>
  );
}

function Terms({ of: one }: { of: ChallengePublic }) {
  const { challenges: t } = words.offers;
  return (
    <Facts
      of={{
        [t.state]: <State of={one.status} words={t.states} />,
        [t.reward]: <Amount of={one.rewardAmount} in={one.rewardCurrency} />,
        [t.game]: <Link href={`/games/${one.targetGame.slug}`}>{one.targetGame.name}</Link>,
        [t.minBet]: <Usd of={one.minBetAmountUsd} />,
        [t.multiplier]: `${one.minBetMultiplier} ×`,
        ...(one.winner && { [t.winner]: one.winner.username }),
      }}
    />
  );
}

function Own({ of }: { of: readonly ChallengeMyRow[] }) {
  const { challenges: t } = words.offers;
  const columns: Columns<ChallengeMyRow> = [
    { head: t.challenge, of: ({ challenge }) => challenge.title },
    {
      head: t.best,
      of: ({ bestMultiplier, challenge }) => `${bestMultiplier} × / ${challenge.minBetMultiplier} ×`,
      end: true,
    },
    { head: t.result, of: ({ isWon }) => (isWon ? `✓ ${t.won}` : t.notWon) },
    { head: t.at, of: ({ settledAt }) => <When at={settledAt} /> },
  ];
  return (
    <Table
      rows={of}
      columns={columns}
      caption={t.own}
      keyOf={({ betId }) => betId}
      to={({ challenge }) => `/offers/challenges/${challenge.id}`}
      empty={t.ownNone}
    />
  );
}

/** A challenge with its rules and the player's progress. */
export function Challenge({ params: { id = '' } }: { params: { id?: string } }) {
  const { challenges: t } = words.offers;
  const one = useRead(ONE, { path: { id } });
  const own = useRead(MY, { query: { take: 20 } });
  const best = own.data?.data.find(({ challenge }) => challenge.id === id);
  return (
    <Page title={one.data?.title ?? t.title} filters={<OfferTabs />} of={one}>
      {(challenge) => (
        <div className="cards">
          <Card title={t.terms}>
            <div className="stack">
              {challenge.imageUrl && <img src={challenge.imageUrl} alt="" className="wide-image" />}
              <Terms of={challenge} />
              <p className="plain">{challenge.rules}</p>
            </div>
          </Card>
          <Card title={t.progress}>
            {best ? (
              <p role="status">
                {t.nearest(best.bestMultiplier, challenge.minBetMultiplier)} {best.isWon && `✓ ${t.won}`}
              </p>
            ) : (
              <Empty>{t.noBet}</Empty>
            )}
          </Card>
        </div>
      )}
    </Page>
  );
}
