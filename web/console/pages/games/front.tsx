import type { MainPageCategory } from '../../../../client/call.ts';
import { TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Card, Loaded, Page, words } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { Changes } from '../../changes.tsx';

const LIST = 'GET /admin/casino/games/main';

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
  const choose = useAct('POST /admin/casino/games/main', { stale: [LIST], said: 'Lobby layout saved' });
  return (
    <Card title={words(category)}>
      {games.length > 0 && (
        <ol>
          {games.map(({ slug, name, providerName }) => (
            <li key={slug}>
              {name} <small className="dim">{providerName}</small>
            </li>
          ))}
        </ol>
      )}
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
          <TextArea
            name="slugs"
            label="Games"
            hint="Slugs in their order, one per line, 20 at most"
            rows={3}
            defaultValue={slugs.join('\n')}
          />
        </Form>
      </May>
    </Card>
  );
}
