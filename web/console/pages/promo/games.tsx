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
    said: 'Games saved',
  });
  return (
    <Card>
      <p className="dim">
        If all lists are empty, every game counts. Bets count in full unless a contribution says otherwise.
        Existing grants keep their games.
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
        submit="Save games"
        confirm="Replace the games of this promotion?"
      >
        <TextArea
          name="gameSlugs"
          label="Game slugs"
          hint="comma-separated or one per line"
          defaultValue={games.gameSlugs?.join('\n')}
        />
        <Field
          name="providerIds"
          label="Provider IDs"
          hint="comma-separated"
          defaultValue={games.providerIds?.join(', ')}
        />
        <Field
          name="categories"
          label="Categories"
          hint="comma-separated"
          defaultValue={games.categories?.join(', ')}
        />
        <TextArea
          name="contribution"
          label="Contribution by category (%)"
          hint="One per line: slots 50"
          defaultValue={linesOf(games.contribution)}
        />
        <TextArea
          name="perGame"
          label="Contribution by game (%)"
          hint="One per line: dice 10"
          defaultValue={linesOf(games.perGame)}
        />
      </Form>
    </Card>
  );
}
