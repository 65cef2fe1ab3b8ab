import { useLocation, useSearchParams } from 'wouter';
import type { PromoAdmin } from '../../../../client/call.ts';
import type { Choice } from '../../../kit/form/choice.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Select } from '../../../kit/form/select.tsx';
import { Card, Page } from '../../../kit/page.tsx';
import { useAct } from '../../../kit/query.ts';
import { Editor } from './editor.tsx';
import { Part } from './part.tsx';
import { DescriptionField, Terms, termsOf } from './terms.tsx';

const LIST = 'GET /admin/promo';
const MAKE = 'POST /admin/promo';
const TYPE_CHOICES = [
  { value: 'WELCOME', label: 'Welcome: offered to new players' },
  { value: 'DEPOSIT', label: 'Deposit: offered to all players' },
  { value: 'CODE', label: 'Code: for players with a code' },
  { value: 'MANUAL', label: 'Manual: granted by staff' },
] as const satisfies readonly Choice[];

/** Creates a promotion as a draft, with the type in the address. Players do not see it until staff start it. */
export function NewPromotion() {
  const [, goTo] = useLocation();
  const [search] = useSearchParams();
  const type = TYPE_CHOICES.find(({ value }) => value === search.get('type'))?.value ?? 'MANUAL';
  const make = useAct(MAKE, {
    stale: [LIST],
    said: 'Draft created',
    // Opens the page of the draft with the start dialog.
    onDone: ({ id }) => goTo(`/promo/${id}?ask=start`),
  });
  return (
    <Page title="New promotion">
      <Editor>
        {(onPick, draft) => (
          <Card>
            <Form
              act={make}
              input={(f) => ({
                body: {
                  ...termsOf(f),
                  name: f.text('name'),
                  description: f.text('description'),
                  type: f.text('type') as PromoAdmin['type'],
                },
              })}
              submit="Create promotion"
            >
              <Part title="Basics" about="Creates a draft. No player gets it until it is started.">
                <Field name="name" label="Name" required maxLength={100} />
                <Select name="type" label="Type" of={TYPE_CHOICES} defaultValue={type} onChange={onPick} />
                <DescriptionField />
              </Part>
              <Terms onPick={onPick} draft={draft} />
            </Form>
          </Card>
        )}
      </Editor>
    </Page>
  );
}
