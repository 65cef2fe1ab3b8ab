import { Link } from 'wouter';
import type { GameProviderAdmin } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { type FilterField, Filters, ORDER, useFilters, YES_NO } from '../../../kit/filters.ts';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { List } from '../../../kit/list.tsx';
import { Card, Facts, Page } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import type { Columns } from '../../../kit/table.tsx';
import { Export } from '../../export.tsx';
import { CATEGORIES, type Category } from './choices.ts';
import { OnOff } from './games.tsx';
import { Pictures } from './pictures.tsx';

const LIST = 'GET /admin/casino/games/providers';
const ONE = 'GET /admin/casino/games/providers/{slug}';
const STALE = [LIST, ONE, 'GET /admin/casino/games/all'] as const;

const FILTERS: readonly FilterField[] = [
  { name: 'name', label: 'Name' },
  { name: 'gameCategory', label: 'With games of', of: CATEGORIES },
  { name: 'enabled', label: 'Switched on', of: YES_NO },
  { name: 'sortBy', label: 'By', of: ['name'], none: 'when it came' },
  ORDER,
];

const COLUMNS: Columns<GameProviderAdmin> = [
  { head: 'Provider', of: ({ name }) => name },
  { head: 'State', of: ({ enabled }) => <OnOff of={enabled} /> },
  { head: 'Games', of: ({ gamesCount }) => gamesCount?.toLocaleString('en'), end: true },
  { head: 'Id', of: ({ id }) => id, end: true },
  { head: 'Slug', of: ({ slug }) => slug },
  { head: 'Here since', of: ({ createdAt }) => <When at={createdAt} /> },
];

export function Providers() {
  const filters = useFilters({});
  const { text, flag, page } = filters;
  const query = {
    name: text('name'),
    gameCategory: text<Category>('gameCategory'),
    enabled: flag('enabled'),
    sortBy: text<'name'>('sortBy'),
    sortOrder: text<'asc'>('sortOrder'),
  };
  const list = useRead(LIST, { query: { ...query, page, take: 30 } });
  return (
    <Page
      title="Providers of games"
      filters={<Filters of={FILTERS} in={filters} />}
      actions={<Export op={LIST} input={{ query }} name="providers" />}
    >
      <List
        of={list}
        columns={COLUMNS}
        caption="Providers of games"
        keyOf={({ id }) => id}
        to={({ slug }) => `/providers/${slug}`}
        onPage={filters.toPage}
      />
    </Page>
  );
}

export function ProviderPage({ params: { slug = '' } }: { params: { slug?: string } }) {
  const one = useRead(ONE, { path: { slug } });
  return (
    <Page title={one.data?.name ?? 'Provider'} of={one}>
      {(provider) => (
        <div className="stack">
          <Card title="About it">
            <Facts
              of={{
                Slug: provider.slug,
                Id: provider.id,
                State: <OnOff of={provider.enabled} />,
                'Name at the supplier': provider.originName,
                Prefix: provider.prefix,
                Games: <Link href={`/games?providerId=${provider.id}`}>{provider.gamesCount ?? 'all'}</Link>,
                'Here since': <When at={provider.createdAt} />,
              }}
            />
          </Card>
          <div className="cards">
            <Switch of={provider} />
            <Rename of={provider} />
            <Cover of={provider} />
          </div>
        </div>
      )}
    </Page>
  );
}

function Switch({ of: { slug, name, enabled } }: { of: GameProviderAdmin }) {
  const change = useAct('PATCH /admin/casino/games/providers/{slug}', {
    stale: STALE,
    said: enabled ? `${name} is out of the catalogue` : `${name} is in the catalogue`,
  });
  return (
    <May op={change.op}>
      <Card title={enabled ? 'Take its games out' : 'Put its games back'}>
        <p className="dim">
          {enabled ? 'Players neither see nor open any game of it.' : 'Its games are out of the catalogue.'}
        </p>
        <ActButton
          act={change}
          input={{ path: { slug }, body: { enabled: !enabled } }}
          kind={enabled ? 'danger' : 'main'}
          confirm={enabled ? `Take all games of ${name} out?` : `Put the games of ${name} back?`}
        >
          {enabled ? 'Take out' : 'Put back'}
        </ActButton>
      </Card>
    </May>
  );
}

function Rename({ of: { slug, name } }: { of: GameProviderAdmin }) {
  const change = useAct('PATCH /admin/casino/games/providers/{slug}', { stale: STALE, said: 'Renamed' });
  return (
    <May op={change.op}>
      <Card title="Name">
        <Form
          act={change}
          input={(f) => ({ path: { slug }, body: { name: f.text('name') } })}
          submit="Rename"
        >
          <Field name="name" label="Name that players see" defaultValue={name} required maxLength={100} />
        </Form>
      </Card>
    </May>
  );
}

function Cover({ of: { slug, name, images, customImages } }: { of: GameProviderAdmin }) {
  const add = useAct('POST /admin/casino/games/providers/{slug}/images', {
    stale: STALE,
    said: 'It is the cover now',
  });
  const clear = useAct('DELETE /admin/casino/games/providers/{slug}/images', {
    stale: STALE,
    said: 'Removed',
  });
  return (
    <Card title="Pictures">
      <Pictures own={customImages} all={images} name={name} />
      <May op={add.op}>
        <Form
          act={add}
          input={(f) => ({ path: { slug }, form: { image: f.file('image')! } })}
          submit="Make it the cover"
          isEmptied
        >
          <Field
            name="image"
            label="A picture, best of 480 × 240 pixels"
            type="file"
            accept="image/png,image/jpeg,image/webp"
            required
          />
        </Form>
        {customImages.length > 0 && (
          <ActButton
            act={clear}
            input={{ path: { slug } }}
            kind="danger"
            confirm="Remove all pictures of ours from it?"
          >
            Remove ours
          </ActButton>
        )}
      </May>
    </Card>
  );
}
