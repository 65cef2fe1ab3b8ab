import type { ReactNode } from 'react';
import type { UserNote } from '../../client/call.ts';
import { words } from '../kit/page.tsx';

type Level = UserNote['riskLevel'];
export const LEVELS = ['NONE', 'LOW', 'MEDIUM', 'HIGH'] as const satisfies readonly Level[];

/** The highest risk level of staff notes. */
export const riskOf = (notes: readonly Pick<UserNote, 'riskLevel'>[]): Level =>
  LEVELS.findLast((level) => notes.some(({ riskLevel }) => riskLevel === level)) ?? 'NONE';

const BARS = [1, 2, 3];

/** A level as bars and a word, so that it does not depend on the colour. */
function Bars({ level, children }: { level: number; children: string }) {
  return (
    <span className={`risk level-${level}`}>
      <span aria-hidden="true">
        {BARS.map((bar) => (
          <i key={bar} className={bar <= level ? 'on' : undefined} />
        ))}
      </span>
      {children}
    </span>
  );
}

export const RISKS: Readonly<Record<Level, ReactNode>> = {
  NONE: <span className="dim">–</span>,
  LOW: <Bars level={1}>Low</Bars>,
  MEDIUM: <Bars level={2}>Medium</Bars>,
  HIGH: <Bars level={3}>High</Bars>,
};

/** A level with the word “risk”, for places without a heading. */
export const RiskLevel = ({ of: level }: { of: Exclude<Level, 'NONE'> }) => (
  <Bars level={LEVELS.indexOf(level)}>{`${words(level)} risk`}</Bars>
);

/** The level of a risk score from 0 to 100. */
export const levelOf = (score: number): Exclude<Level, 'NONE'> =>
  score >= 60 ? 'HIGH' : score >= 30 ? 'MEDIUM' : 'LOW';

/** A risk score from 0 to 100, as it is stored with a withdrawal. */
export function RiskScore({ of: score }: { of: number }) {
  const level = levelOf(score);
  return <Bars level={LEVELS.indexOf(level)}>{`${words(level)} ${score}`}</Bars>;
}
