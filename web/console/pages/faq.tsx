import type { Faq } from '../../../client/call.ts';
import { ActButton } from '../../kit/form/act-button.tsx';
import { Field, TextArea } from '../../kit/form/field.tsx';
import { Form } from '../../kit/form/form.tsx';
import { Card, Empty, Loaded, Page } from '../../kit/page.tsx';
import { useAct, useRead } from '../../kit/query.ts';

const LIST = 'GET /faq';

/** Frequently asked questions in display order. */
export function Questions() {
  const questions = useRead(LIST, {});
  const add = useAct('POST /admin/faq', { stale: [LIST], said: 'Article added' });
  return (
    <Page title="Help articles">
      <div className="stack">
        <Loaded of={questions}>
          {(all) =>
            all.length > 0 ? (
              all.map((one) => <Question key={one.id} of={one} />)
            ) : (
              <Empty title="No help articles yet" />
            )
          }
        </Loaded>
        <Card title="New article">
          <Form
            act={add}
            input={(f) => ({ body: { title: f.text('title'), text: f.text('text') } })}
            submit="Add article"
            isEmptied
          >
            <Field name="title" label="Question" required maxLength={200} />
            <TextArea name="text" label="Answer" required />
          </Form>
        </Card>
      </div>
    </Page>
  );
}

function Question({ of: { id, title, text, order } }: { of: Faq }) {
  const change = useAct('PUT /admin/faq', { stale: [LIST], said: 'Article saved' });
  const remove = useAct('DELETE /admin/faq', { stale: [LIST], said: 'Article deleted' });
  return (
    <Card
      title={title}
      actions={
        <ActButton act={remove} input={{ body: { id } }} kind="danger" confirm={`Delete “${title}”?`}>
          Delete
        </ActButton>
      }
    >
      <Form
        act={change}
        input={(f) => ({
          body: { id, title: f.text('title'), text: f.text('text'), order: f.number('order') },
        })}
      >
        <Field name="title" label="Question" defaultValue={title} required maxLength={200} />
        <TextArea name="text" label="Answer" defaultValue={text} required />
        <Field name="order" label="Position" type="number" defaultValue={order} required />
      </Form>
    </Card>
  );
}
