import { Link } from 'wouter';
import type { GameAdmin } from '../../../../client/call.ts';
import { Usd, When } from '../../../kit/amount.tsx';
import { ActButton } from '../../../kit/form/act-button.tsx';
import { Field, TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Select } from '../../../kit/form/select.tsx';
import { Card, Facts, Json, Page, words } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { Changes } from '../../changes.tsx';
import { CATEGORIES } from './choices.ts';
import { EffectiveRule } from './effective-rule.tsx';
import { OnOff } from './games.tsx';
import { Pictures } from './pictures.tsx';
import { Returns } from './returns.tsx';

const ONE = 'GET /admin/casino/games/{slug}';
const LIST = 'GET /admin/casino/games/all';
const STALE = [ONE, LIST] as const;

export function GamePage({ params: { slug = '' } }: { params: { slug?: string } }) {
  const one = useRead(ONE, { path: { slug } });
  return (
    <Page title={one.data?.name ?? 'Game'} of={one}>
      {(game) => (
        <div className="stack">
          <About of={game} />
          <div className="masonry">
            <Switch of={game} />
            <Change of={game} />
            <Tags of={game} />
            <Cover of={game} />
          </div>
          <Returns slug={slug} />
          <Card title="Provider commission">
            <EffectiveRule slug={slug} />
          </Card>
        </div>
      )}
    </Page>
  );
}

function About({ of: game }: { of: GameAdmin }) {
  const { info } = game;
  return (
    <Card title="Details">
      <Facts
        of={{
          Slug: game.slug,
          Id: game.id,
          Status: <OnOff of={game.enabled} />,
          Type: words(game.type),
          Categories: game.categories.map(words).join(', '),
          Provider: <Link href={`/providers/${game.provider.slug}`}>{game.provider.name}</Link>,
          'Supplier’s slug': game.originalSlug,
          'Return in %': info?.rtp,
          Volatility: info?.volatility && words(info.volatility),
          'Min bet': <Usd of={info?.minBetUsd} />,
          'Max bet': <Usd of={info?.maxBetUsd} />,
          'Max win': info?.maxWinMultiplier && `${info.maxWinMultiplier} ×`,
          Tags: game.tags.join(', '),
          Added: <When at={game.addedAt} />,
          'Last played': <When at={game.lastPlayedAt} />,
        }}
      />
      {info?.description && <p>{info.description}</p>}
      {game.settings && (
        <details>
          <summary>Settings</summary>
          <Json of={game.settings} />
        </details>
      )}
    </Card>
  );
}

function Switch({ of: { slug, name, enabled } }: { of: GameAdmin }) {
  const change = useAct('POST /admin/casino/games/{slug}', {
    stale: STALE,
    said: enabled ? `${name} disabled` : `${name} enabled`,
  });
  return (
    <May op={change.op}>
      <Card title={enabled ? 'Disable game' : 'Enable game'}>
        <p className="dim">
          {enabled
            ? 'Players can no longer open this game or bet on it. Open rounds can finish.'
            : 'The game is disabled, so players do not see it.'}
        </p>
        <ActButton
          act={change}
          input={{ path: { slug }, body: { enabled: !enabled } }}
          kind={enabled ? 'danger' : 'main'}
          confirm={enabled ? `Disable ${name} for all players?` : `Enable ${name} for all players?`}
        >
          {enabled ? 'Disable game' : 'Enable game'}
        </ActButton>
      </Card>
    </May>
  );
}

function Change({ of: { slug, categories, info, type } }: { of: GameAdmin }) {
  const change = useAct('POST /admin/casino/games/{slug}', { stale: STALE, said: 'Game saved' });
  const before = { category: categories[0], rtp: info?.rtp ?? undefined };
  const isOurs = type === 'HOUSE_GAME';
  return (
    <May op={change.op}>
      <Card title="Category and RTP">
        <Form
          act={change}
          input={(f) => ({
            path: { slug },
            body: {
              category: f.text('category') === before.category ? undefined : f.text('category'),
              rtp: isOurs || f.optionalNumber('rtp') === before.rtp ? undefined : f.optionalNumber('rtp'),
            },
          })}
          confirm="Change this game?"
          tells={({ body = {} }) => (
            <Changes
              before={before}
              after={Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))}
            />
          )}
        >
          <Select name="category" label="Main category" of={CATEGORIES} defaultValue={before.category} />
          <Field
            name="rtp"
            label="RTP in % (shown to players)"
            hint={
              isOurs ? 'Follows from the settings of the original' : 'Replaces the value from the supplier'
            }
            type="number"
            min={0}
            max={100}
            step="0.001"
            defaultValue={before.rtp}
            disabled={isOurs}
          />
        </Form>
      </Card>
    </May>
  );
}

function Tags({ of: { slug, tags } }: { of: GameAdmin }) {
  const set = useAct('PUT /admin/casino/games/{slug}/tags', { stale: STALE, said: 'Tags saved' });
  return (
    <May op={set.op}>
      <Card title="Tags">
        <Form
          act={set}
          input={(f) => ({ path: { slug }, body: { tags: f.list('tags') } })}
          submit="Save tags"
        >
          <TextArea
            name="tags"
            label="Tags"
            hint="One per line, 20 at most, up to 30 characters each"
            defaultValue={tags.join('\n')}
          />
        </Form>
      </Card>
    </May>
  );
}

function Cover({ of: { slug, name, images, customImages } }: { of: GameAdmin }) {
  const add = useAct('POST /admin/casino/games/{slug}/images', { stale: STALE, said: 'Cover saved' });
  const clear = useAct('DELETE /admin/casino/games/{slug}/images', { stale: STALE, said: 'Images removed' });
  return (
    <Card title="Images">
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
            hint="Best at 480 × 640 pixels"
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
            confirm="Remove all our images of this game?"
          >
            Remove our images
          </ActButton>
        )}
      </May>
    </Card>
  );
}
