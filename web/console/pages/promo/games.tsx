import type { PromoAdmin } from '../../../../client/call.ts';
import { TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Card } from '../../../kit/page.tsx';
import { useAct } from '../../../kit/query.ts';
import { GamesField, ProvidersField } from '../../game-fields.tsx';
import { ChoicesField } from '../../many-field.tsx';
import { CATEGORIES } from '../games/choices.ts';

const linesOf = (shares: Readonly<Record<string, number>> = {}) =>
  Object.entries(shares)
    .map(([of, percent]) => `${of} ${percent}`)
    .join('\n');

export function PromoGames({ of: { id, games, gameNames = {} } }: { of: PromoAdmin }) {
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
        <GamesField
          name="gameSlugs"
          label="Games"
          value={games.gameSlugs}
          names={new Map(Object.entries(gameNames))}
        />
        <ProvidersField name="providerIds" label="Providers" value={games.providerIds} />
        <ChoicesField name="categories" label="Categories" value={games.categories} choices={CATEGORIES} />
        <TextArea
          name="contribution"
          label="Contribution by category (%)"
          hint="One per line: SLOTS 50"
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
