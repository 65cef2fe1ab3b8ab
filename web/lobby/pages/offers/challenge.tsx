import { Amount, When } from '../../../kit/amount.tsx';
import { ButtonLink } from '../../../kit/button.tsx';
import { Badge } from '../../../kit/figures.tsx';
import { Card, Page } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { words } from '../../words.ts';
import { Best, MY, Picture, playOf, Terms } from './challenges.tsx';
import { RewardState, RewardTabs, titleOf } from './parts.tsx';

/** A challenge with its rules and the player's progress. */
export function Challenge({ params: { id = '' } }: { params: { id?: string } }) {
  const { challenges: t } = words.offers;
  const one = useRead('GET /challenge/{id}', { path: { id } });
  const own = useRead(MY, { query: { take: 20 } });
  const best = own.data?.data.find(({ challenge }) => challenge.id === id);
  return (
    <Page
      title={one.data ? titleOf(one.data) : t.title}
      filters={<RewardTabs />}
      of={one}
      actions={one.data && <RewardState of={one.data.status} words={t.states} />}
    >
      {(challenge) => (
        <div className="board">
          <Card title={t.rules}>
            <div className="stack">
              <p className="as-written">{challenge.rules}</p>
              <p className="sm dim">{t.hint}</p>
            </div>
          </Card>
          <article className="card tall challenge">
            <Picture of={challenge} />
            <p className="dim sm">{t.reward}</p>
            <p className="big-figure">
              <Amount of={challenge.rewardAmount} in={challenge.rewardCurrency} />
            </p>
            <Terms of={challenge} />
            <div role="status">
              {best?.isWon ? (
                <Badge tone="good">
                  {t.won} <When at={best.settledAt} />
                </Badge>
              ) : (
                <Best of={challenge} best={best} />
              )}
            </div>
            {challenge.status === 'ACTIVE' && (
              <div className="actions">
                <ButtonLink to={`/games/${challenge.targetGame.slug}`} kind="main" icon="play">
                  {playOf(challenge)}
                </ButtonLink>
              </div>
            )}
          </article>
        </div>
      )}
    </Page>
  );
}
