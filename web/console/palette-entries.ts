import type { Op, SearchHit } from '../../client/call.ts';
import type { IconName } from '../kit/icon.tsx';
import { words } from '../kit/page.tsx';
import { useRead } from '../kit/query.ts';
import { missingRight, useMe, useMissing } from '../kit/session.tsx';
import { useLater } from '../kit/use-later.ts';
import { useMenu } from './navigation.tsx';
import { OTHER_PARTS, pathOfPart } from './report-parts.ts';
import { pageOf, SEARCH } from './search.ts';
import { PART_SYNONYMS, SYNONYMS } from './synonyms.ts';

/** A row of the palette. It leads to a page. */
export type Entry = {
  group: string;
  icon: IconName;
  title: string;
  subtitle?: string;
  note?: string;
  to: string;
};

/** `words`: other words by which the palette finds the action. */
type Action = { title: string; words: string; icon: IconName; of: Op; to: string };

/** Things to do, each with the operation whose permission it needs. */
const ACTIONS: readonly Action[] = [
  {
    title: 'Review withdrawals',
    words: 'approve payouts pay out reject',
    icon: 'banknote',
    of: 'POST /admin/payments/withdraw/approve',
    to: '/withdrawals',
  },
  {
    title: 'Review identity documents',
    words: 'kyc verify approve passport',
    icon: 'user-check',
    of: 'PATCH /admin/kyc/{userId}',
    to: '/kyc',
  },
  {
    title: 'Ban a user',
    words: 'block lock close player account suspend',
    icon: 'ban',
    of: 'PATCH /admin/user/{id}/ban',
    to: '/users',
  },
  {
    title: 'Create a promotion',
    words: 'new bonus campaign free spins',
    icon: 'gift',
    of: 'POST /admin/promo',
    to: '/promo/new',
  },
  {
    title: 'Create a deposit bonus',
    words: 'new promotion welcome',
    icon: 'gift',
    of: 'POST /admin/promo',
    to: '/promo/new?type=DEPOSIT',
  },
  {
    title: 'Create a challenge',
    words: 'new mission',
    icon: 'target',
    of: 'PUT /admin/challenge',
    to: '/challenges/new',
  },
  {
    title: 'Create a leaderboard',
    words: 'new race tournament',
    icon: 'trophy',
    of: 'POST /admin/leaderboards',
    to: '/leaderboards/new',
  },
  {
    title: 'Disable a game',
    words: 'turn switch off deactivate hide close stop enable on',
    icon: 'gamepad-2',
    of: 'POST /admin/casino/games/{slug}',
    to: '/games',
  },
  {
    title: 'Give or take money',
    words: 'credit debit correct balance adjust tip bonus refund',
    icon: 'hand-coins',
    of: 'POST /admin/admin-tips',
    to: '/tips',
  },
  {
    title: 'Block a country',
    words: 'geo ban allow jurisdiction',
    icon: 'globe',
    of: 'PATCH /admin/country/{code}',
    to: '/countries',
  },
  {
    title: 'Add a colleague',
    words: 'new staff member invite employee administrator',
    icon: 'user-plus',
    of: 'POST /admin/user/admin-user',
    to: '/staff?ask=add',
  },
  {
    title: 'Change settings',
    words: 'configuration config limits maintenance',
    icon: 'sliders-horizontal',
    of: 'PATCH /admin/config/{code}',
    to: '/configuration',
  },
];

const KINDS: Readonly<Record<SearchHit['kind'], { group: string; icon: IconName }>> = {
  player: { group: 'Users', icon: 'user' },
  withdrawal: { group: 'Withdrawals', icon: 'banknote' },
  deposit: { group: 'Deposits', icon: 'arrow-down-to-line' },
  bet: { group: 'Bets', icon: 'receipt' },
  game: { group: 'Games', icon: 'gamepad-2' },
  promotion: { group: 'Promotions', icon: 'gift' },
};

const BAN = 'PATCH /admin/user/{id}/ban';

/** Returns actions on the player if the search found exactly one. Staff cannot ban themselves. */
function useActionsOn(hits: readonly SearchHit[]): Entry[] {
  const me = useMe();
  const mayBan = missingRight(me, BAN) === undefined;
  const [player, ...others] = hits.filter(({ kind }) => kind === 'player');
  if (!player || others.length > 0 || !mayBan || player.state === 'BANNED' || player.id === String(me.id))
    return [];
  return [{ group: 'Actions', icon: 'ban', title: `Ban ${player.title}…`, to: `${pageOf(player)}?ask=ban` }];
}

/** Searches of one letter would find too much. */
const LEAST = 2;

/** Returns the rows for a text: hits of the search, then actions and pages. */
export function useEntries(text: string) {
  const isOnlyActions = text.startsWith('>');
  const wanted = text.replace(/^>/, '').trim();
  const maySearch = useMissing(SEARCH) === undefined && !isOnlyActions && wanted.length >= LEAST;
  const searched = useLater(maySearch ? wanted : '');
  const found = useRead(SEARCH, { query: { q: searched } }, { isEnabled: searched !== '' });
  // While another text is searched, the hits of the previous one do not count.
  const isCurrent = searched === wanted && !found.isPlaceholderData;
  const hits = isCurrent ? (found.data?.groups ?? []).flatMap((group) => group.hits) : [];
  const onPlayer = useActionsOn(hits);
  const places = usePlaces(wanted, isOnlyActions);
  return {
    entries: [...hits.map(entryOf), ...onPlayer, ...places],
    isBusy: maySearch && (!isCurrent || found.isPending),
    hasFailed: found.isError && searched === wanted,
  };
}

const entryOf = (hit: SearchHit): Entry => ({
  ...KINDS[hit.kind],
  title: hit.title,
  ...(hit.subtitle !== null && { subtitle: hit.subtitle }),
  ...(hit.state !== null && { note: words(hit.state) }),
  to: pageOf(hit),
});

/**
 * The actions and pages whose name or synonyms contain each word of the text. Those with the text in their name come first. Without a text,
 * all actions and pages of the menu.
 */
function usePlaces(wanted: string, isOnlyActions: boolean): Entry[] {
  const me = useMe();
  const may = ({ of }: { of: Op }) => missingRight(me, of) === undefined;
  const actions = ACTIONS.filter(may).map(({ title, words, icon, to }) => ({
    place: { group: 'Actions', icon, title, to },
    words,
  }));
  const pages = useMenu().flatMap(({ group, entries }) =>
    entries.flatMap(({ entry }) =>
      entry.tabs.filter(may).map(({ name, path }) => ({
        place: toPage(entry.icon, name, path, group.name),
        words: SYNONYMS[path],
      })),
    ),
  );
  const parts = OTHER_PARTS.filter(may).map((part) => ({
    place: toPage('chart-line', part.title, pathOfPart(part), 'Performance'),
    words: PART_SYNONYMS[part.name],
  }));
  const found = matching(wanted, actions);
  if (isOnlyActions) return found;
  if (wanted === '') return [...matching('', pages), ...found];
  const users = may(USERS) ? [usersNamed(wanted)] : [];
  return [...found, ...matching(wanted, [...pages, ...parts]), ...users];
}

const toPage = (icon: IconName, title: string, to: string, subtitle: string | undefined): Entry => ({
  group: 'Go to',
  icon,
  title,
  ...(subtitle !== undefined && { subtitle }),
  to,
});

type Place = { place: Entry; words: string | undefined };

function matching(wanted: string, places: readonly Place[]): Entry[] {
  const text = wanted.toLowerCase();
  const isNamed = ({ place: { title } }: Place) => title.toLowerCase().includes(text);
  const found = places.filter(({ place: { title }, words = '' }) => {
    const all = `${title} ${words}`.toLowerCase();
    return text.split(/\s+/).every((word) => all.includes(word));
  });
  return [...found.filter(isNamed), ...found.filter((one) => !isNamed(one))].map(({ place }) => place);
}

const USERS = { of: 'POST /admin/user/all', path: '/users' } as const;

/** The list of users with the text as its search. */
const usersNamed = (text: string): Entry => ({
  group: 'Go to',
  icon: 'users',
  title: `Users matching “${text}”`,
  to: `${USERS.path}?${new URLSearchParams({ search: text })}`,
});
