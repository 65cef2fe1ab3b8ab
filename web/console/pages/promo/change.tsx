import type { PromoAdmin } from '../../../../client/call.ts';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Card } from '../../../kit/page.tsx';
import { useAct } from '../../../kit/query.ts';
import type { Draft } from './cost.ts';
import { Editor } from './editor.tsx';
import { Part } from './part.tsx';
import { DescriptionField, Terms, termsOf } from './terms.tsx';
import { TermsEffect } from './terms-effect.tsx';

/** The form with all terms of a promotion. A confirmation shows the changed terms before they are saved. */
export function ChangeTerms({ of: promo }: { of: PromoAdmin }) {
  const { id, name } = promo;
  const change = useAct('PATCH /admin/promo/{id}', {
    stale: ['GET /admin/promo/{id}', 'GET /admin/promo'],
    said: 'Terms saved',
  });
  return (
    <Editor type={promo.type}>
      {(onPick, draft) => (
        <Card>
          <Form
            act={change}
            input={(f) => ({
              path: { id },
              body: { ...termsOf(f), name: f.text('name'), description: f.text('description') },
            })}
            confirm={`Change “${name}”?`}
            tells={({ body }) => <TermsEffect of={promo} change={body as Partial<Draft>} />}
          >
            <Part title="Basics" about="Existing grants keep their terms.">
              <Field name="name" label="Name" defaultValue={name} required maxLength={100} />
              <DescriptionField of={promo} />
            </Part>
            <Terms of={promo} onPick={onPick} draft={draft} />
          </Form>
        </Card>
      )}
    </Editor>
  );
}
