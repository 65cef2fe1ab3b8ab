import type { GameAdmin } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { Badge } from '../../../kit/figures.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { Select } from '../../../kit/form/select.tsx';
import { percent } from '../../../kit/intl.ts';
import { words } from '../../../kit/page.tsx';
import { send, useAct } from '../../../kit/query.ts';
import { listPage } from '../../list/list-page.tsx';
import { type Bulk, choice, text, yesNo } from '../../list/spec.ts';
import { Waiting } from '../../waiting.tsx';
import { useProviderIds } from '../choices.ts';
import { CATEGORIES, type Category, type GameType, TYPES } from './choices.ts';

const LIST = 'GET /admin/casino/games/all';
const CHANGE = 'POST /admin/casino/games/bulk';

export const OnOff = ({ of }: { of: boolean | undefined }) => (
  <Badge tone={of ? 'good' : 'bad'} icon={of ? 'circle-check' : 'ban'}>
    {of ? 'Enabled' : 'Disabled'}
  </Badge>
);

/** Imports the games of all providers. The import takes a while. */
function SyncCatalogue() {
  const hydrate = useAct('POST /admin/casino/games/hydrate', {
    stale: [LIST],
    said: 'Import started. It takes a while.',
  });
  return (
    <ActButton act={hydrate} input={{}} icon="refresh-cw" confirm="Import the games of all providers now?">
      Sync catalogue
    </ActButton>
  );
}

/** Changes one game. The operation reports an error of a game in its results. */
async function change({ slug }: GameAdmin, body: { enabled?: boolean; category?: string }): Promise<void> {
  const { results } = await send(CHANGE, { body: { slugs: [slug], ...body } });
  const failed = results.find(({ success }) => !success);
  if (failed) throw new Error(failed.code ? words(failed.code) : 'Not changed');
}

const bulk: readonly Bulk<GameAdmin>[] = [
  { label: 'Enable', icon: 'circle-check', op: CHANGE, run: (game) => change(game, { enabled: true }) },
  {
    label: 'Change category',
    icon: 'tag',
    op: CHANGE,
    Fields: () => <Select name="category" label="Main category" of={CATEGORIES} />,
    run: (game, filled) => change(game, { category: filled.text('category') }),
  },
  {
    label: 'Disable…',
    icon: 'ban',
    op: CHANGE,
    isDangerous: true,
    about: 'Players can’t open these games. Open rounds can finish.',
    run: (game) => change(game, { enabled: false }),
  },
];

export const Games = listPage({
  list: 'games',
  title: 'Games',
  op: LIST,
  file: 'games',
  take: 30,
  Actions: SyncCatalogue,
  Above: () => <Waiting of={['casino.category']} />,
  input: ({ text: read, number, flag }) => ({
    query: {
      name: read('name'),
      slug: read('slug'),
      type: read<GameType>('type'),
      category: read<Category>('category'),
      providerId: number('providerId'),
      enabled: flag('enabled'),
      sortBy: read<'addedAt' | 'name' | 'popular' | 'lastPlayed'>('sortBy'),
      sortOrder: read<'asc' | 'desc'>('sortOrder'),
      withInfo: true,
    },
  }),
  keyOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  to: ({ slug }) => `/games/${slug}`,
  sorted: { by: 'addedAt', order: 'desc' },
  search: { name: 'name', label: 'Game' },
  filters: [
    choice('providerId', 'Provider', useProviderIds),
    choice('category', 'Category', CATEGORIES),
    choice('type', 'Type', TYPES),
    yesNo('enabled', 'Enabled'),
    text('slug', 'Slug'),
  ],
  views: [
    { name: 'All games', query: {} },
    { name: 'Popular', query: { sortBy: 'popular', sortOrder: 'desc' } },
    { name: 'Originals', query: { type: 'HOUSE_GAME' } },
    { name: 'Disabled', query: { enabled: 'false' } },
  ],
  columns: [
    { name: 'name', head: 'Game', of: ({ name }) => name, sort: 'name', isMain: true },
    { name: 'enabled', head: 'Status', of: ({ enabled }) => <OnOff of={enabled} />, isMain: true },
    { name: 'provider', fields: ['provider.name'], head: 'Provider', of: ({ provider }) => provider.name },
    { name: 'type', head: 'Type', of: ({ type }) => words(type) },
    {
      name: 'categories',
      head: 'Categories',
      of: ({ categories }) => categories.map(words).join(', '),
      wide: true,
    },
    {
      name: 'info',
      fields: ['info.rtp'],
      head: 'RTP',
      of: ({ info }) => (info?.rtp === null || info?.rtp === undefined ? '–' : percent(info.rtp)),
      end: true,
    },
    { name: 'tags', head: 'Tags', of: ({ tags }) => tags.join(', ') },
    {
      name: 'lastPlayedAt',
      head: 'Last played',
      of: ({ lastPlayedAt }) => <When at={lastPlayedAt} />,
      sort: 'lastPlayed',
    },
    {
      name: 'addedAt',
      head: 'Added',
      of: ({ addedAt }) => <When at={addedAt} />,
      sort: 'addedAt',
      isExtra: true,
    },
    { name: 'slug', head: 'Slug', of: ({ slug }) => slug, isExtra: true },
  ],
  bulk,
  empty: 'Games appear here once a provider is connected',
});
