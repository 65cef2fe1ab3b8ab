import type { PromoAdmin } from '../../../../client/call.ts';
import { Dialog } from '../../../kit/dialog.tsx';
import { TextArea } from '../../../kit/form/field.tsx';
import { Form } from '../../../kit/form/form.tsx';
import { useAct } from '../../../kit/query.ts';
import { May } from '../../../kit/session.tsx';
import { useAsked } from '../../asked.ts';
import { StatusEffect } from './status-effect.tsx';

const STATUS = 'POST /admin/promo/{id}/status';

/** The page of a new draft, which offers to start it. */
export const startPageOf = ({ id }: Pick<PromoAdmin, 'id'>): string => `/promo/${id}?ask=start`;

/** Offers to start a draft if the address asks for it. Closing the dialog keeps the draft. */
export function AskToStart({ of: promo }: { of: PromoAdmin }) {
  const [isOpen, setOpen] = useAsked('start');
  if (!isOpen || promo.status !== 'DRAFT') return null;
  return (
    <May op={STATUS}>
      <Start of={promo} onClose={() => setOpen(false)} />
    </May>
  );
}

function Start({ of: promo, onClose }: { of: PromoAdmin; onClose: () => void }) {
  const { id, name } = promo;
  const start = useAct(STATUS, {
    stale: ['GET /admin/promo/{id}', 'GET /admin/promo'],
    said: 'Promotion started',
  });
  return (
    <Dialog title={`Start “${name}” now?`} onClose={onClose} hasCancel>
      <Form
        act={start}
        input={(f) => ({ path: { id }, body: { status: 'ACTIVE' as const, reason: f.text('reason') } })}
        submit="Start promotion"
      >
        <StatusEffect of={promo} to="ACTIVE" />
        <TextArea name="reason" label="Reason" required maxLength={500} rows={2} />
      </Form>
    </Dialog>
  );
}
