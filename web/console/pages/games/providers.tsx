import { Link } from 'wouter';
import type { GameProviderAdmin } from '../../../../client/call.ts';
import { When } from '../../../kit/amount.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { number } from '../../../kit/intl.ts';
import { Card, Facts, Page } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { listPage } from '../../list/list-page.tsx';
import { choice, yesNo } from '../../list/spec.ts';
import { CATEGORIES, type Category } from './choices.ts';
import { OnOff } from './games.tsx';
import { Pictures } from './pictures.tsx';

const LIST = 'GET /admin/casino/games/providers';
const ONE = 'GET /admin/casino/games/providers/{slug}';
const STALE = [LIST, ONE, 'GET /admin/casino/games/all'] as const;

export const Providers = listPage({
  list: 'providers',
  title: 'Providers',
  op: LIST,
  file: 'providers',
  take: 30,
  input: ({ text, flag }) => ({
    query: {
      name: text('name'),
      gameCategory: text<Category>('gameCategory'),
      enabled: flag('enabled'),
      sortBy: text<'name' | 'createdAt'>('sortBy'),
      sortOrder: text<'asc' | 'desc'>('sortOrder'),
    },
  }),
  keyOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  to: ({ slug }) => `/providers/${slug}`,
  sorted: { by: 'createdAt', order: 'desc' },
  search: { name: 'name', label: 'Provider' },
  filters: [choice('gameCategory', 'Category', CATEGORIES), yesNo('enabled', 'Enabled')],
  columns: [
    { name: 'name', head: 'Provider', of: ({ name }) => name, sort: 'name', isMain: true },
    { name: 'enabled', head: 'Status', of: ({ enabled }) => <OnOff of={enabled} />, isMain: true },
    {
      name: 'gamesCount',
      head: 'Games',
      of: ({ gamesCount }) => (gamesCount === undefined ? '–' : number(gamesCount)),
      end: true,
    },
    { name: 'id', head: 'ID', of: ({ id }) => id, end: true },
    { name: 'slug', head: 'Slug', of: ({ slug }) => slug },
    { name: 'createdAt', head: 'Added', of: ({ createdAt }) => <When at={createdAt} />, sort: 'createdAt' },
  ],
  empty: 'Providers appear here once they are connected',
});

export function ProviderPage({ params: { slug = '' } }: { params: { slug?: string } }) {
  const one = useRead(ONE, { path: { slug } });
  return (
    <Page title={one.data?.name ?? 'Provider'} of={one}>
      {(provider) => (
        <div className="stack">
          <Card title="Details">
            <Facts
              of={{
                Slug: provider.slug,
                ID: provider.id,
                Status: <OnOff of={provider.enabled} />,
                'Supplier’s name': provider.originName,
                Prefix: provider.prefix,
                Games: <Link href={`/games?providerId=${provider.id}`}>{provider.gamesCount ?? 'All'}</Link>,
                Added: <When at={provider.createdAt} />,
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
    said: enabled ? `${name} disabled` : `${name} enabled`,
  });
  return (
    <May op={change.op}>
      <Card title={enabled ? 'Disable provider' : 'Enable provider'}>
        <p className="dim">
          {enabled ? 'Players no longer see or open its games.' : 'Its games are not in the catalogue.'}
        </p>
        <ActButton
          act={change}
          input={{ path: { slug }, body: { enabled: !enabled } }}
          kind={enabled ? 'danger' : 'main'}
          confirm={enabled ? `Disable all games of ${name}?` : `Enable the games of ${name}?`}
        >
          {enabled ? 'Disable provider' : 'Enable provider'}
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
          <Field name="name" label="Name (shown to players)" defaultValue={name} required maxLength={100} />
        </Form>
      </Card>
    </May>
  );
}

function Cover({ of: { slug, name, images, customImages } }: { of: GameProviderAdmin }) {
  const add = useAct('POST /admin/casino/games/providers/{slug}/images', {
    stale: STALE,
    said: 'Cover saved',
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
          submit="Save cover"
          isEmptied
        >
          <Field
            name="image"
            label="Image"
            hint="Best at 480 × 240 pixels"
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
            confirm="Remove all our images of this provider?"
          >
            Remove our images
          </ActButton>
        )}
      </May>
    </Card>
  );
}
