import type { PromoAdmin } from '../../../../client/call.ts';
import { Field, TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Card } from '../../../kit/page.tsx';
import { useAct } from '../../../kit/query.ts';

const linesOf = (shares: Readonly<Record<string, number>> = {}) =>
  Object.entries(shares)
    .map(([of, percent]) => `${of} ${percent}`)
    .join('\n');

export function PromoGames({ of: { id, games } }: { of: PromoAdmin }) {
  const set = useAct('PUT /admin/promo/{id}/games', {
    stale: ['GET /admin/promo/{id}', 'GET /admin/promo'],
    said: 'The games are set',
  });
  return (
    <Card>
      <p className="dim">
        All lists empty: every game counts. A stake counts in full where nothing else is said here. What was
        granted keeps its games.
      </p>
      <Form
        act={set}
        input={(f) => {
          const shares = (name: string) =>
            Object.fromEntries(f.pairs(name).map(([of, percent]) => [of, Number(percent)]));
          return {
            path: { id },
            body: {
              gameSlugs: f.list('gameSlugs'),
              providerIds: f.list('providerIds').map(Number),
              categories: f.list('categories'),
              contribution: shares('contribution'),
              perGame: shares('perGame'),
            },
          };
        }}
        submit="Set the games"
        confirm="Replace the games?"
      >
        <TextArea
          name="gameSlugs"
          label="Games (their slugs)"
          hint="apart by commas or lines"
          defaultValue={games.gameSlugs?.join('\n')}
        />
        <Field
          name="providerIds"
          label="Providers (their ids)"
          hint="apart by commas"
          defaultValue={games.providerIds?.join(', ')}
        />
        <Field
          name="categories"
          label="Categories"
          hint="apart by commas"
          defaultValue={games.categories?.join(', ')}
        />
        <TextArea
          name="contribution"
          label="What a stake counts, in percent, by category"
          hint="a line each: slots 50"
          defaultValue={linesOf(games.contribution)}
        />
        <TextArea
          name="perGame"
          label="What a stake counts, in percent, by game"
          hint="a line each: dice 10"
          defaultValue={linesOf(games.perGame)}
        />
      </Form>
    </Card>
  );
}
