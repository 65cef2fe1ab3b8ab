import { Field, type FieldProps, TextArea } from '../kit/form/field.tsx';
import type { Option } from '../kit/pick/pick.tsx';
import { useRead } from '../kit/query.ts';
import { useMissing } from '../kit/session.tsx';
import { useLater } from '../kit/use-later.ts';
import { ManyField } from './many-field.tsx';
import { OneField } from './one-field.tsx';
import { useProviderIds } from './pages/choices.ts';

const GAMES = 'GET /admin/casino/games/all';
const PROVIDERS = 'GET /admin/casino/games/providers';
const FOUND = { sortBy: 'name', sortOrder: 'asc', page: 1, take: 8 } as const;

type Wanted = { givesFreeSpins?: boolean };

/** Finds games by a part of their name. */
function useGames(text: string, wanted: Wanted = {}): readonly Option[] {
  const name = useLater(text);
  const found = useRead(GAMES, { query: { name, ...wanted, ...FOUND } }, { isEnabled: name !== '' });
  // Do not offer results of the previous search while a new one is loading.
  if (name === '' || name !== text || found.isPlaceholderData) return [];
  const games = found.data?.data ?? [];
  const isShared = (shown: string) => games.filter((game) => game.name === shown).length > 1;
  return games.map(({ slug, name: shown, provider }) => ({
    value: slug,
    // After the choice only the text is shown, so it must tell games of the same name apart.
    text: isShared(shown) ? `${shown} (${provider.name})` : shown,
    note: <span className="dim">{provider.name}</span>,
  }));
}
const useFreeSpinGames = (text: string) => useGames(text, { givesFreeSpins: true });

/** Finds game providers by a part of their name. */
function useProviders(text: string): readonly Option[] {
  const name = useLater(text);
  const query = { ...(name !== '' && { name }), ...FOUND };
  const found = useRead(PROVIDERS, { query });
  if (name !== text || found.isPlaceholderData) return [];
  return (found.data?.data ?? []).map(({ id, name: shown }) => ({ value: String(id), text: shown }));
}

type GameFieldProps = FieldProps & {
  value?: string | undefined;
  /** The name of the game with the initial value. */
  shown?: string | undefined;
  required?: boolean;
  /** Offers only games of which promotions can give free spins. */
  isForFreeSpins?: boolean;
  /** Called when a game is chosen from the suggestions. */
  onPick?: () => void;
};

/** One game, whose slug the form reads. It is found by its name, and can be entered as a slug by staff who may not list games. */
export function GameField({ isForFreeSpins = false, shown, onPick, ...field }: GameFieldProps) {
  const { value = '', required, ...plain } = field;
  return useMissing(GAMES) === undefined ? (
    <OneField
      {...field}
      shown={shown}
      onPick={onPick}
      // Staff may also enter a slug.
      allowsNew
      useOptions={isForFreeSpins ? useFreeSpinGames : useGames}
      placeholder="Name of the game"
    />
  ) : (
    <Field {...plain} hint="Slug of the game" defaultValue={value} required={required} maxLength={64} />
  );
}

type GamesFieldProps = FieldProps & {
  /** The initial slugs. */
  value?: readonly string[] | undefined;
  /** The names of these games. A game without a name here is listed by its slug. */
  names?: ReadonlyMap<string, string>;
  isOrdered?: boolean;
  required?: boolean;
};

/** Several games. A form reads their slugs with `list`. Staff who may not list games enter the slugs. */
export function GamesField({ value = [], names = new Map(), isOrdered = false, ...field }: GamesFieldProps) {
  if (useMissing(GAMES) !== undefined)
    return <TextArea {...field} hint="Slugs, one per line" rows={3} defaultValue={value.join('\n')} />;
  return (
    <ManyField
      {...field}
      isOrdered={isOrdered}
      value={value}
      nameOf={(slug) => names.get(slug) ?? slug}
      useOptions={useGames}
      placeholder="Add a game"
    />
  );
}

type ProvidersFieldProps = FieldProps & { value?: readonly number[] | undefined };

/** Several game providers. A form reads their ids with `list`. Staff who may not list providers enter the ids. */
export function ProvidersField({ value = [], ...field }: ProvidersFieldProps) {
  const known = useProviderIds();
  const ids = value.map(String);
  if (useMissing(PROVIDERS) !== undefined)
    return <Field {...field} hint="IDs, comma-separated" defaultValue={ids.join(', ')} />;
  const nameOf = (id: string) => {
    const found = known.find((choice) => typeof choice !== 'string' && choice.value === id);
    return typeof found === 'object' ? found.label : `#${id}`;
  };
  return (
    <ManyField
      {...field}
      value={ids}
      nameOf={nameOf}
      useOptions={useProviders}
      placeholder="Add a provider"
    />
  );
}
