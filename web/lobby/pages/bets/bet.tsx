import '../../games/play/fair/fair.css';
import './bet.css';
import { useLocation } from 'wouter';
import type { Answer, Op } from '../../../../client/call.ts';
import { Amount, When } from '../../../kit/amount.tsx';
import { ButtonLink } from '../../../kit/button.tsx';
import { multiplier } from '../../../kit/intl.ts';
import { lazily } from '../../../kit/load.tsx';
import { Card, Copy, Empty, Facts, Json, Loaded, Page } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { words } from '../../words.ts';
import { GameCell, PaidOut } from './feed.tsx';

/** The proof is loaded apart, because games load it too. */
const Proof = lazily(async () => (await import('../../games/play/fair/last-bet.tsx')).LastBet);

type InfoOp = Extract<Op, `GET /bets/${string}/info/{betId}`>;
type Info = Answer<InfoOp>;

export const HouseBet = ({ params: { betId } }: { params: { betId: string } }) => (
  <Bet betId={betId} op="GET /bets/house-games/info/{betId}" isHouse />
);

export const SlotBet = ({ params: { betId } }: { params: { betId: string } }) => (
  <Bet betId={betId} op="GET /bets/slots/info/{betId}" />
);

/** A bet with its result and, for Originals, its proof. */
function Bet({ betId, op, isHouse = false }: { betId: string; op: InfoOp; isHouse?: boolean }) {
  const bet = useRead(op, { path: { betId } });
  const [, go] = useLocation();
  if (bet.error?.status === 404) return <Gone />;
  return (
    <Page
      title={words.bets.bet}
      actions={
        bet.data && (
          <ButtonLink to={`/games/${bet.data.game.slug}`} icon="play">
            {words.bets.again}
          </ButtonLink>
        )
      }
    >
      <Loaded of={bet}>
        {(found: Info) => (
          <div className="bet-page">
            <div className="stack">
              <Card>
                <Figures of={found} betId={betId} />
              </Card>
              <Raw of={found} />
            </div>
            {isHouse && (
              <Card title={words.fair.title}>
                <div className="stack fair">
                  <Proof betId={betId} onSeeds={() => go('/fairness')} />
                </div>
              </Card>
            )}
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Figures({ of: found, betId }: { of: Info; betId: string }) {
  const { game, amount, currencyId, settledAt, user } = found;
  const t = words.live;
  return (
    <div className="stack">
      <GameCell of={game} />
      <Facts
        of={{
          [t.stake]: <Amount of={amount} in={currencyId} hasCoin />,
          [t.multiplier]: multiplier(game.multiplier),
          [t.payout]: <PaidOut of={{ ...found, multiplier: game.multiplier }} />,
          [t.at]: <When at={settledAt} />,
          [t.player]: <span translate="no">{user.username}</span>,
          [words.bets.number]: <Copy text={betId} />,
        }}
      />
    </div>
  );
}

function Raw({ of: { game } }: { of: Info }) {
  const t = words.bets;
  if (!game.inputs && !game.outcome) return null;
  return (
    <details className="card raw">
      <summary>{t.details}</summary>
      {game.inputs && (
        <>
          <h3>{t.inputs}</h3>
          <Json of={game.inputs} />
        </>
      )}
      {game.outcome && (
        <>
          <h3>{t.outcome}</h3>
          <Json of={game.outcome} />
        </>
      )}
    </details>
  );
}

const Gone = () => (
  <Page title={words.bets.gone} isTitleHidden>
    <Empty
      art="no-results"
      title={words.bets.gone}
      action={
        <ButtonLink to="/bets" kind="main">
          {words.live.own}
        </ButtonLink>
      }
    >
      {words.bets.goneHint}
    </Empty>
  </Page>
);
