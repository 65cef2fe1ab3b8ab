import { useEffect } from 'react';
import type { PromoAdmin } from '../../../../client/call.ts';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Imported, lazily } from '../../../kit/load.tsx';
import { Card, Loading } from '../../../kit/page.tsx';
import { useAct } from '../../../kit/query.ts';
import type { Draft } from './cost.ts';
import { Editor } from './editor.tsx';
import { Part } from './part.tsx';
import { DescriptionField, Terms, termsOf } from './terms.tsx';

/** Loaded after the form, because only the confirmation shows it. */
const TermsEffect = lazily(async () => (await import('./terms-effect.tsx')).TermsEffect);

/** The form with all terms of a promotion. A confirmation shows the changed terms before they are saved. */
export function ChangeTerms({ of: promo }: { of: PromoAdmin }) {
  const { id, name } = promo;
  useEffect(() => {
    void TermsEffect.preload();
  }, []);
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
            tells={({ body }) => (
              <Imported fallback={<Loading />}>
                <TermsEffect of={promo} change={body as Partial<Draft>} />
              </Imported>
            )}
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
