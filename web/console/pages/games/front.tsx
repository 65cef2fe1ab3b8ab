import type { MainPageCategory } from '../../../../client/call.ts';
import { Form } from '../../../kit/form/form.tsx';
import { Card, Loaded, Page, words } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May, useMissing } from '../../../kit/session.tsx';
import { Changes } from '../../changes.tsx';
import { GamesField } from '../../game-fields.tsx';

const LIST = 'GET /admin/casino/games/main';
const CHOOSE = 'POST /admin/casino/games/main';

/** The games shown first on the home page, by category. */
export function FrontPage() {
  const sections = useRead(LIST, {});
  return (
    <Page title="Lobby layout">
      <p className="dim">Categories without chosen games show the most popular ones.</p>
      <Loaded of={sections}>
        {(all) => (
          <>
            <Sections of={all.filter(({ enabled }) => enabled)} />
            <details>
              <summary>Categories hidden in the lobby</summary>
              <Sections of={all.filter(({ enabled }) => !enabled)} />
            </details>
          </>
        )}
      </Loaded>
    </Page>
  );
}

const Sections = ({ of }: { of: readonly MainPageCategory[] }) => (
  <div className="masonry">
    {of.map((section) => (
      <Section key={section.category} of={section} />
    ))}
  </div>
);

function Section({ of: { category, slugs, games } }: { of: MainPageCategory }) {
  const mayChoose = useMissing(CHOOSE) === undefined;
  const names = new Map(games.map(({ slug, name }) => [slug, name]));
  const choose = useAct(CHOOSE, { stale: [LIST], said: 'Lobby layout saved' });
  return (
    <Card title={words(category)}>
      {!mayChoose && <Names of={games} />}
      <May op={choose.op}>
        <Form
          act={choose}
          input={(f) => ({ body: { category, slugs: f.list('slugs') } })}
          submit="Save games"
          confirm={`Show these in ${words(category)}?`}
          tells={({ body }) => (
            <Changes before={{ games: slugs.join(', ') }} after={{ games: body.slugs.join(', ') }} />
          )}
        >
          <GamesField
            key={slugs.join()}
            name="slugs"
            label="Games"
            hint="At most 20. Drag games, or press Alt and an arrow key, to change their order."
            value={slugs}
            names={names}
            isOrdered
          />
        </Form>
      </May>
    </Card>
  );
}

const Names = ({ of }: { of: MainPageCategory['games'] }) => (
  <ol>
    {of.map(({ slug, name, providerName }) => (
      <li key={slug}>
        {name} <small className="dim">{providerName}</small>
      </li>
    ))}
  </ol>
);
