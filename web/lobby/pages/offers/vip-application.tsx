import { useEffect, useState } from 'react';
import type { VipApplication } from '../../../../client/call.ts';
import { Usd, When } from '../../../kit/amount.tsx';
import { AmountField, Field, Form, Select, TextArea } from '../../../kit/form.tsx';
import { Card, Empty, Facts, Loaded } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { State } from '../../state.tsx';
import { words } from '../../words.ts';

const LIST = 'GET /vip-application';
const OPEN: readonly string[] = ['NEW', 'IN_REVIEW'];
type Contact = VipApplication['contactMethod'];

/** The player's VIP applications, and the form if none is open. */
export function Applications() {
  const { vip } = words.offers;
  const own = useRead(LIST, {});
  return (
    <Card title={vip.applications}>
      <Loaded of={own}>
        {(all) => (
          <div className="stack">
            {all.length === 0 && <Empty>{vip.noApplications}</Empty>}
            {all.map((one) => (
              <Application key={one.id} of={one} />
            ))}
            {!all.some(({ status }) => OPEN.includes(status)) && <Apply />}
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function Application({ of: one }: { of: VipApplication }) {
  const { vip } = words.offers;
  return (
    <section className="stack question" aria-label={`${vip.application} ${one.platformName}`}>
      <Facts
        of={{
          [vip.state]: <State of={one.status} words={vip.states} />,
          [vip.sent]: <When at={one.createdAt} />,
          [vip.platform]: one.platformName,
          [vip.platformWagered]: <Usd of={one.totalWageredUsd} />,
          ...(one.decidedAt && { [vip.decided]: <When at={one.decidedAt} /> }),
          ...(one.grantedVipLevel !== null && { [vip.granted]: one.grantedVipLevel }),
        }}
      />
      {one.publicComment && <p className="plain">{one.publicComment}</p>}
      <div className="actions">
        {one.images.map((address) => (
          <Picture key={address} imageId={address.split('/').at(-1)!} />
        ))}
      </div>
      {one.status === 'NEW' && <AddImage id={one.id} />}
    </section>
  );
}

/** Shows an image that requires a session. It is loaded with an API request like other data, and shown from memory. */
function Picture({ imageId }: { imageId: string }) {
  const image = useRead(
    'GET /vip-application/image/{imageId}',
    { path: { imageId } },
    { staleMs: Number.POSITIVE_INFINITY },
  );
  const [source, setSource] = useState<string>();
  const { data } = image;
  useEffect(() => {
    if (!data) return;
    const reader = new FileReader();
    reader.onload = () => setSource(String(reader.result));
    reader.readAsDataURL(data);
    return () => reader.abort();
  }, [data]);
  return <Loaded of={image}>{() => source && <Shown source={source} />}</Loaded>;
}

const Shown = ({ source }: { source: string }) => (
  <img src={source} alt={words.offers.vip.image} className="proof" />
);

function AddImage({ id }: { id: string }) {
  const { vip } = words.offers;
  const add = useAct('POST /vip-application/{id}/image', { stale: [LIST], said: vip.imageAdded });
  return (
    <Form
      act={add}
      input={(f) => ({ path: { id }, form: { image: f.file('image') ?? new Blob() } })}
      submit={vip.addImage}
      isEmptied
    >
      <Field
        name="image"
        label={vip.image}
        hint={vip.imageHint}
        type="file"
        accept="image/png,image/jpeg,image/webp,image/gif"
        required
      />
    </Form>
  );
}

function Apply() {
  const { vip } = words.offers;
  const apply = useAct('POST /vip-application', { stale: [LIST], said: vip.applied });
  return (
    <details>
      <summary>{vip.apply}</summary>
      <Form
        act={apply}
        input={(f) => ({
          body: {
            platformName: f.text('platformName'),
            platformUsername: f.text('platformUsername'),
            totalWageredUsd: f.text('totalWageredUsd'),
            rank: f.text('rank'),
            contactMethod: f.text('contactMethod') as Contact,
            contactUsername: f.text('contactUsername'),
            note: f.optional('note'),
            howDidYouHear: f.optional('howDidYouHear'),
          },
        })}
        submit={vip.send}
      >
        <p className="dim">{vip.applyHint}</p>
        <ApplyFields />
      </Form>
    </details>
  );
}

function ApplyFields() {
  const { vip } = words.offers;
  const contacts = Object.entries(vip.contacts).map(([value, label]) => ({ value, label }));
  return (
    <>
      <div className="group">
        <Field name="platformName" label={vip.platform} required maxLength={100} />
        <Field name="platformUsername" label={vip.platformUsername} required maxLength={100} />
        <AmountField name="totalWageredUsd" label={vip.platformWagered} required />
        <Field name="rank" label={vip.rank} required maxLength={100} />
        <Select name="contactMethod" label={vip.contact} of={contacts} required />
        <Field name="contactUsername" label={vip.contactName} required maxLength={100} />
      </div>
      <TextArea name="note" label={vip.note} maxLength={1000} />
      <Field name="howDidYouHear" label={vip.heard} maxLength={200} />
    </>
  );
}
