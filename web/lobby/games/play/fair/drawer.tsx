import './fair.css';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { Dialog } from '../../../../kit/dialog.tsx';
import { Segmented } from '../../../../kit/form/toggle.tsx';
import { Icon } from '../../../../kit/icon.tsx';
import { Empty } from '../../../../kit/page.tsx';
import { useOptionalMe } from '../../../../kit/session.tsx';
import { words } from '../../../words.ts';
import { useMyBets } from '../my-bets.ts';
import { useResults } from '../outcome.ts';
import { LastBet } from './last-bet.tsx';
import { SeedsTab } from './seeds.tsx';

type Tab = 'last' | 'seeds' | 'how';

type FairDrawerProps = {
  game: string;
  /** The bet to check. The default is the last one. */
  betId?: string | undefined;
  /** The commitment of a shared round, in place of the player's seeds. */
  commitment?: ReactNode;
  onClose: () => void;
};

/** The proof of a bet, the player's seeds, and how it works. */
export function FairDrawer({ game, betId, commitment, onClose }: FairDrawerProps) {
  const isIn = useOptionalMe() !== undefined;
  const [tab, setTab] = useState<Tab>(isIn ? 'last' : 'how');
  const shown = useResults(game)?.find((result) => result.betId)?.betId;
  const earlier = useMyBets(game)[0]?.id;
  const wanted = betId ?? shown ?? earlier;
  const t = words.proof;
  return (
    <Dialog
      kind="drawer"
      className="fair"
      title={t.title}
      onClose={onClose}
      head={
        <strong className="line title" aria-hidden="true">
          <Icon name="scale" /> {t.title}
        </strong>
      }
    >
      {isIn && (
        <Segmented
          label={t.title}
          of={{ last: betId === undefined ? t.lastBet : t.bet, seeds: t.seeds, how: t.how }}
          value={tab}
          onChange={setTab}
        />
      )}
      {tab === 'last' &&
        (wanted === undefined ? (
          <Empty art="no-bets" title={t.none}>
            {t.noneHint}
          </Empty>
        ) : (
          <LastBet key={wanted} betId={wanted} onSeeds={() => setTab('seeds')} />
        ))}
      {tab === 'seeds' && (commitment ?? <SeedsTab />)}
      {tab === 'how' && <How />}
    </Dialog>
  );
}

const How = () => (
  <>
    <ol className="steps">
      {words.proof.steps.map(({ title, text }, index) => (
        <li key={title}>
          <span className="count quiet" aria-hidden="true">
            {index + 1}
          </span>
          <div>
            <b>{title}</b>
            <p className="sm dim">{text}</p>
          </div>
        </li>
      ))}
    </ol>
    <p className="sm">
      <Link href="/fairness">{words.proof.more}</Link>
    </p>
  </>
);
