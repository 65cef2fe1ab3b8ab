import { useEffect, useState } from 'react';
import type { VipApplication } from '../../../../client/call.ts';
import { Usd, When } from '../../../kit/amount.tsx';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Skeleton } from '../../../kit/figures.tsx';
import { AmountField } from '../../../kit/form/amount-field.tsx';
import { Field, TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { Card, Empty, Loaded } from '../../../kit/page.tsx';
import { Pick } from '../../../kit/pick/pick.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { words } from '../../words.ts';
import { RewardState, Rows } from './parts.tsx';

const LIST = 'GET /vip-application';
const OPEN: readonly string[] = ['NEW', 'IN_REVIEW'];
type Contact = VipApplication['contactMethod'];

/** The player's VIP applications. Players without an open one can apply. */
export function Applications() {
  const { vip } = words.club;
  const own = useRead(LIST, {});
  const [isApplying, setApplying] = useState(false);
  const apply = (
    <Button kind="main" onClick={() => setApplying(true)}>
      {vip.apply}
    </Button>
  );
  return (
    <Card title={vip.applications}>
      <Loaded of={own}>
        {(all) =>
          all.length === 0 ? (
            <Empty title={vip.noApplications} action={apply}>
              {vip.applyHint}
            </Empty>
          ) : (
            <div className="stack">
              {all.map((one) => (
                <Application key={one.id} of={one} />
              ))}
              {!all.some(({ status }) => OPEN.includes(status)) && <div className="actions">{apply}</div>}
            </div>
          )
        }
      </Loaded>
      {isApplying && <Apply onClose={() => setApplying(false)} />}
    </Card>
  );
}

function Application({ of: one }: { of: VipApplication }) {
  const { vip } = words.club;
  return (
    <section className="stack tight application" aria-label={vip.applicationOf(one.platformName)}>
      <div className="line between">
        <h3>{one.platformName}</h3>
        <RewardState of={one.status} words={vip.states} />
      </div>
      <Rows
        of={[
          [vip.sent, <When key="sent" at={one.createdAt} />],
          [vip.platformWagered, <Usd key="wagered" of={one.totalWageredUsd} />],
          ...(one.decidedAt ? [[vip.decided, <When key="decided" at={one.decidedAt} />] as const] : []),
          ...(one.grantedVipLevel === null
            ? []
            : [[vip.granted, words.frame.vip(one.grantedVipLevel)] as const]),
        ]}
      />
      {one.publicComment && <p className="as-written">{one.publicComment}</p>}
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
  return (
    <Loaded of={image} skeleton={<Skeleton width={160} height={120} />}>
      {() => source && <img src={source} alt={words.club.vip.image} className="vip-proof" />}
    </Loaded>
  );
}

function AddImage({ id }: { id: string }) {
  const { vip } = words.club;
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

function Apply({ onClose }: { onClose: () => void }) {
  const { vip } = words.club;
  const apply = useAct('POST /vip-application', { stale: [LIST], said: vip.applied, onDone: onClose });
  const [contact, setContact] = useState<Contact>('EMAIL');
  return (
    <Dialog title={vip.apply} onClose={onClose} isWide>
      <p className="dim">{vip.applyHint}</p>
      <Form
        act={apply}
        input={(f) => ({
          body: {
            platformName: f.text('platformName'),
            platformUsername: f.text('platformUsername'),
            totalWageredUsd: f.text('totalWageredUsd'),
            rank: f.text('rank'),
            contactMethod: contact,
            contactUsername: f.text('contactUsername'),
            note: f.optional('note'),
            howDidYouHear: f.optional('howDidYouHear'),
          },
        })}
        submit={vip.send}
      >
        <div className="group">
          <Field name="platformName" label={vip.platform} required maxLength={100} />
          <Field name="platformUsername" label={vip.platformUsername} required maxLength={100} />
          <AmountField name="totalWageredUsd" label={vip.platformWagered} currency="USD" required />
          <Field name="rank" label={vip.rank} required maxLength={100} />
          <Pick
            label={vip.contact}
            options={Object.entries(vip.contacts).map(([value, text]) => ({ value, text }))}
            value={contact}
            onChange={(value) => setContact(value as Contact)}
          />
          <Field
            name="contactUsername"
            label={contact === 'EMAIL' ? words.entry.email : vip.contactName}
            required
            maxLength={100}
          />
        </div>
        <TextArea name="note" label={vip.note} maxLength={1000} />
        <Field name="howDidYouHear" label={vip.heard} maxLength={200} />
      </Form>
    </Dialog>
  );
}
