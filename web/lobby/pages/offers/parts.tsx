import { Link } from 'wouter';
import { useRead } from '../../../kit/query.ts';
import { Tabs } from '../../../kit/tabs.tsx';
import { words } from '../../words.ts';
import './offers.css';

const PARTS = ['promo', 'rakeback', 'leaderboards', 'challenges', 'vip', 'affiliate', 'tips'] as const;

/** Returns each offer's name and address. */
export const offerPages = () =>
  PARTS.map((part) => ({ part, title: words.offers[part].title, href: `/offers/${part}` }));

export const OfferTabs = () => (
  <Tabs
    label={words.offers.title}
    of={{
      [words.offers.title]: '/offers',
      ...Object.fromEntries(offerPages().map(({ title, href }) => [title, href])),
    }}
  />
);

export type Level = { level: number; wageredUsd: string; rewardUsd: string; boostPercent: number };
type Site = {
  isChatEnabled: boolean;
  vip: { ladder: Level[]; rewardTurnoverPercent: number };
  rakeback: { expiryDays: number | null };
  tips: { recipientTurnoverPercent: number };
  chat: { rooms: { id: string; name: string }[]; minWageredUsd: string };
};

export function useSite() {
  const site = useRead('GET /config/{code}', { path: { code: 'USER' } }, { staleMs: 300_000 });
  return { ...site, data: site.data as Site | undefined };
}

type Programme = {
  isEnabled: boolean;
  holdDays: number;
  minClaimUsd: string;
  maxCodesPerUser: number;
  codeMinLength: number;
  codeMaxLength: number;
  depositCommissionPercent: string;
};

export function useProgramme() {
  const programme = useRead('GET /config/{code}', { path: { code: 'AFFILIATES' } }, { staleMs: 300_000 });
  return programme.data as Programme | undefined;
}

/** A progress bar with its figures. */
export function Progress({ label, percent }: { label: string; percent: number }) {
  const shown = Math.min(100, Math.max(0, percent));
  return (
    <p className="stack tight">
      <span>
        {label}: {shown} %
      </span>
      <meter min={0} max={100} value={shown} aria-label={label}>
        {shown} %
      </meter>
    </p>
  );
}

/** Links to games by their slugs. An empty list means all games. */
export function GameLinks({ slugs }: { slugs: readonly string[] }) {
  if (slugs.length === 0) return words.offers.allGames;
  const shown = slugs.slice(0, 12);
  const names: Readonly<Record<string, string>> = words.games;
  return (
    <>
      {shown.map((slug, at) => (
        <span key={slug}>
          {at > 0 && ', '}
          <Link href={`/games/${slug}`}>{names[slug] ?? slug}</Link>
        </span>
      ))}
      {slugs.length > shown.length && ` ${words.offers.moreGames(slugs.length - shown.length)}`}
    </>
  );
}
