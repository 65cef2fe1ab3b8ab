import { useState } from 'react';
import type { AffiliateCode } from '../../../../client/call.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Skeleton } from '../../../kit/figures.tsx';
import { Field } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { number } from '../../../kit/intl.ts';
import { Card, Copy, Empty, Loaded } from '../../../kit/page.tsx';
import { useAct, useRead } from '../../../kit/query.ts';
import { words } from '../../words.ts';
import { useProgramme } from './parts.tsx';

const CODES = 'GET /affiliate/code';

/** The link that credits a new player to a code. */
const linkOf = (code: string) => `${location.origin}/play/sign-up?ref=${encodeURIComponent(code)}`;

/** The player's codes with their links. */
export function Codes() {
  const { affiliate } = words.club;
  const codes = useRead(CODES, {});
  const programme = useProgramme();
  const [isMaking, setMaking] = useState(false);
  const isFull = programme !== undefined && (codes.data?.length ?? 0) >= programme.maxCodesPerUser;
  const add = (kind: 'main' | 'line') => (
    <Button
      kind={kind}
      icon="plus"
      why={isFull ? words.codes.AFFILIATE_CODES_FULL : undefined}
      onClick={() => setMaking(true)}
    >
      {affiliate.newCode}
    </Button>
  );
  const hasCodes = codes.data !== undefined && codes.data.length > 0;
  return (
    <Card title={affiliate.codes} actions={hasCodes && add('line')}>
      <Loaded of={codes} skeleton={<Skeleton height={120} />}>
        {(own) =>
          own.length === 0 ? (
            <Empty title={affiliate.noCodes} action={add('main')}>
              {affiliate.noCodesHint}
            </Empty>
          ) : (
            <ul className="codes">
              {own.map((code) => (
                <Code key={code.id} of={code} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isMaking && <NewCode onClose={() => setMaking(false)} />}
    </Card>
  );
}

function Code({ of: { id, usersCount = 0 } }: { of: AffiliateCode }) {
  const { affiliate } = words.club;
  const link = linkOf(id);
  return (
    <li>
      <div className="line between">
        <strong translate="no">{id}</strong>
        <span className="dim sm">{affiliate.signedUp(usersCount)}</span>
      </div>
      <div className="link-box">
        <Copy text={link} label={affiliate.copyLinkOf(id)} />
        {'share' in navigator && (
          <Button
            size="sm"
            kind="ghost"
            icon="share-2"
            aria-label={affiliate.shareLinkOf(id)}
            // Rejects if the player closes the device's own dialog.
            onClick={() => void navigator.share({ url: link }).catch(() => undefined)}
          />
        )}
      </div>
    </li>
  );
}

function NewCode({ onClose }: { onClose: () => void }) {
  const { affiliate } = words.club;
  const programme = useProgramme();
  const make = useAct('POST /affiliate/code', { stale: [CODES], said: affiliate.made, onDone: onClose });
  return (
    <Dialog title={affiliate.newCode} onClose={onClose}>
      <Form act={make} input={(f) => ({ body: { id: f.text('id') } })} submit={affiliate.make}>
        <Field
          name="id"
          label={affiliate.code}
          hint={affiliate.codeHint}
          required
          pattern="[A-Za-z0-9_\-]+"
          data-format={affiliate.codeFormat}
          minLength={programme?.codeMinLength}
          maxLength={programme?.codeMaxLength ?? 20}
        />
        {programme && <p className="sm dim">{affiliate.mostCodes(number(programme.maxCodesPerUser))}</p>}
      </Form>
    </Dialog>
  );
}
