import { type ReactNode, useEffect, useState } from 'react';
import type { FairnessBet } from '../../../../../client/call.ts';
import { Button } from '../../../../kit/button.tsx';
import { Icon } from '../../../../kit/icon.tsx';
import { Note } from '../../../../kit/note.tsx';
import { Facts, Loaded } from '../../../../kit/page.tsx';
import { useRead } from '../../../../kit/query.ts';
import { say } from '../../../../kit/toast.tsx';
import { words } from '../../../words.ts';
import { outcomeText } from './outcome-text.ts';
import { type Computed, compute, seedsOf, verifierLink } from './proof.ts';

/** The proof of one bet in five steps, with its real values. The browser computes the bet again. */
export function LastBet({ betId, onSeeds }: { betId: string; onSeeds: () => void }) {
  const bet = useRead('GET /fairness/bets/{betId}', { path: { betId } });
  return <Loaded of={bet}>{(found) => <Proof bet={found} onSeeds={onSeeds} />}</Loaded>;
}

function Proof({ bet, onSeeds }: { bet: FairnessBet; onSeeds: () => void }) {
  const computed = useComputed(bet);
  const t = words.proof;
  const steps = stepsOf(bet, computed);
  const copyAll = () => {
    const text = [`${t.bet}: ${bet.betId}`, ...steps.map(({ title, value }) => `${title}: ${value}`)].join(
      '\n',
    );
    void navigator.clipboard.writeText(text).then(() => say(words.kit.copied));
  };
  return (
    <>
      <Verdict bet={bet} computed={computed} />
      <Facts
        of={{
          [t.bet]: <code>{bet.betId}</code>,
          [t.game]: words.games[bet.game as keyof typeof words.games] ?? bet.game,
          [t.result]: outcomeText(bet.game, bet.outcome),
        }}
      />
      <ol className="steps">
        {steps.map(({ title, value, hint }, index) => (
          <li key={title}>
            <span className="count quiet" aria-hidden="true">
              {index + 1}
            </span>
            <div>
              <div className="sm dim">{title}</div>
              <code translate="no">{value}</code>
              <div className="xs faint">{hint}</div>
            </div>
          </li>
        ))}
      </ol>
      <div className="actions">
        <Button icon="copy" className="grow" onClick={copyAll}>
          {t.copy}
        </Button>
        <a className="button line grow" href={verifierLink(bet)} target="_blank" rel="noreferrer">
          <Icon name="external-link" />
          {t.check}
        </a>
      </div>
      {seedsOf(bet).serverSeed === null && !bet.round && (
        <Button kind="main" icon="refresh-cw" onClick={onSeeds}>
          {t.reveal}
        </Button>
      )}
    </>
  );
}

type State = Computed | 'secret' | 'failed' | undefined;

function useComputed(bet: FairnessBet): State {
  const [state, setState] = useState<State>();
  useEffect(() => {
    let isThere = true;
    compute(bet).then(
      (computed) => isThere && setState(computed ?? 'secret'),
      () => isThere && setState('failed'),
    );
    return () => {
      isThere = false;
    };
  }, [bet]);
  return state;
}

function Verdict({ bet, computed }: { bet: FairnessBet; computed: State }) {
  const t = words.proof;
  if (computed === undefined) return <Note>{t.computing}</Note>;
  if (computed === 'secret') return <Note icon="lock">{bet.round ? t.secretRound : t.secret}</Note>;
  if (computed === 'failed') return <Note kind="warn">{t.failed}</Note>;
  return computed.isSame ? (
    <Note kind="good">
      <b>{t.good}</b> {t.goodHint}
    </Note>
  ) : (
    <Note kind="bad">
      <b>{t.bad}</b> {t.badHint}
    </Note>
  );
}

type Step = { title: string; value: string; hint: ReactNode };

function stepsOf(bet: FairnessBet, state: State): Step[] {
  const t = words.proof;
  const { serverSeed, serverSeedHash, clientSeed, origin, nonce } = seedsOf(bet);
  const computed = typeof state === 'object' ? state : undefined;
  const shared = bet.round !== null;
  return [
    {
      title: serverSeed === null ? t.hash : shared ? t.roundSeed : t.serverSeed,
      value: serverSeed ?? serverSeedHash ?? '–',
      hint: serverSeed === null ? t.hashHint : t.serverSeedHint(serverSeedHash ?? '–'),
    },
    {
      title: shared ? t.publicSeed : t.clientSeed,
      value: clientSeed ?? '–',
      hint: shared ? t.publicSeedHint : origin === 'PLAYER' ? t.byPlayer : t.byServer,
    },
    {
      title: shared ? t.position : t.nonce,
      value: nonce === null ? '–' : String(nonce),
      hint: shared ? t.positionHint : t.nonceHint,
    },
    {
      title: t.hmac,
      value: computed ? computed.blocks.map(({ hex }) => hex).join('\n') : '–',
      hint: computed ? t.hmacHint(computed.numbers) : t.later,
    },
    {
      title: t.outcomes[bet.game as keyof typeof t.outcomes] ?? t.result,
      value: outcomeText(bet.game, computed?.outcome ?? bet.outcome),
      hint: computed ? t.outcomeHint : t.later,
    },
  ];
}
