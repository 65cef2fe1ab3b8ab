import './rewards.css';
import type { ReactNode } from 'react';
import type { ChallengePublic } from '../../../../client/call.ts';
import type { Tone } from '../../../kit/figures.tsx';
import { Icon, type IconName } from '../../../kit/icon.tsx';
import { multiplier } from '../../../kit/intl.ts';
import { Meter } from '../../../kit/measures.tsx';
import { Facts } from '../../../kit/page.tsx';
import { useRead } from '../../../kit/query.ts';
import { Tabs } from '../../../kit/tabs.tsx';
import { State } from '../../state.tsx';
import { words } from '../../words.ts';

const PARTS = ['promotions', 'rakeback', 'leaderboards', 'challenges', 'vip', 'affiliate', 'tips'] as const;
const HREFS: Readonly<Record<(typeof PARTS)[number], string>> = {
  promotions: '/offers/promo',
  rakeback: '/offers/rakeback',
  leaderboards: '/offers/leaderboards',
  challenges: '/offers/challenges',
  vip: '/offers/vip',
  affiliate: '/offers/affiliate',
  tips: '/offers/tips',
};

/** The pages of the rewards. */
export const RewardTabs = () => (
  <Tabs
    label={words.menu.rewards}
    of={{
      [words.menu.overview]: '/offers',
      ...Object.fromEntries(PARTS.map((part) => [words.menu[part], HREFS[part]])),
    }}
  />
);

type SectionProps = { title: string; icon?: IconName; end?: ReactNode; children: ReactNode };

/** A part of a page with its heading. */
export const Section = ({ title, icon, end, children }: SectionProps) => (
  <section>
    <header className="section-head">
      {icon && <Icon name={icon} size={20} />}
      <h2>{title}</h2>
      {end && <span className="at-end">{end}</span>}
    </header>
    {children}
  </section>
);

type ProgressProps = {
  label: string;
  /** Decimal strings. They become numbers only for the bar. */
  value: string;
  of: string;
  /** Value and target in words. */
  text: string;
};

/** A bar with its label and figures above it. */
export const Progress = ({ label, value, of, text }: ProgressProps) => (
  <div className="reward-progress">
    <div className="line between">
      <span className="dim">{label}</span>
      <span>{text}</span>
    </div>
    <Meter kind="progress" label={label} value={Number(value)} of={Number(of)} text={text} />
  </div>
);

const TONES: Readonly<Record<string, Tone>> = {
  ACTIVE: 'accent',
  COMPLETED: 'good',
  APPROVED: 'good',
  REJECTED: 'bad',
  PENDING: 'warn',
  NEW: 'warn',
  IN_REVIEW: 'warn',
  SCHEDULED: 'warn',
  FINALIZING: 'warn',
  AWAITING_PAYOUT: 'warn',
  WINNER_SELECTED: 'warn',
};

/** The status of a reward. */
export const RewardState = (props: { of: string; words: Readonly<Record<string, string>> }) => (
  <State {...props} toneOf={(code) => TONES[code]} />
);

/** Key figures side by side. */
export const Strip = ({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) => (
  <dl className="stat-strip">
    {of.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** Names and values in rows. */
export const Rows = ({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) => (
  <Facts isRows of={Object.fromEntries(of)} />
);

type Programme = {
  isEnabled: boolean;
  holdDays: number;
  minClaimUsd: string;
  maxCodesPerUser: number;
  codeMinLength: number;
  codeMaxLength: number;
  depositCommissionPercent: string;
};

/** The settings of the affiliate programme. */
export function useProgramme() {
  const programme = useRead('GET /config/{code}', { path: { code: 'AFFILIATES' } }, { staleMs: 300_000 });
  return programme.data as Programme | undefined;
}

/** A game's name in the language of the page. Names of providers' games are not translated. */
export const gameName = (slug: string, name = slug): string =>
  (words.games as Readonly<Record<string, string>>)[slug] ?? name;

/** The title of a challenge in the page's language. The server's title always formats numbers as in English. */
export const titleOf = ({ targetGame: { slug, name }, minBetMultiplier }: Titled) =>
  words.offers.challenges.titleOf(gameName(slug, name), multiplier(minBetMultiplier));
type Titled = Pick<ChallengePublic, 'targetGame' | 'minBetMultiplier'>;
