import { useState } from 'react';
import type { UserListRow } from '../../../../client/call.ts';
import { TextArea } from '../../../kit/form/field.tsx';
import type { Filled } from '../../../kit/form/read.ts';
import { Select } from '../../../kit/form/select.tsx';
import { words } from '../../../kit/page.tsx';
import { send } from '../../../kit/query.ts';
import type { Bulk } from '../../list/spec.ts';
import { useActivePromotions } from '../choices.ts';
import { PromotionFacts } from '../promo/promotion-facts.tsx';
import { BanFields } from './ban-fields.tsx';
import { NoteFields, noteIn } from './note-fields.tsx';
import { GRANTS, STALE } from './shared.ts';

export const noteUser: Bulk<UserListRow> = {
  label: 'Add note',
  icon: 'file-text',
  op: 'POST /admin/user-notes',
  Fields: NoteFields,
  stale: [...STALE, 'GET /admin/user-notes'],
  run: ({ id }, filled) => send('POST /admin/user-notes', { body: { userId: id, ...noteIn(filled) } }),
};

export function GrantFields() {
  const promotions = useActivePromotions();
  const [promoId, setPromoId] = useState('');
  return (
    <>
      <Select
        name="promoId"
        label="Promotion"
        of={promotions}
        none="Choose an active promotion"
        onChange={setPromoId}
        required
      />
      <PromotionFacts id={promoId} />
      <TextArea name="reason" label="Reason" required maxLength={500} rows={2} />
    </>
  );
}

/** Returns the request that grants the chosen promotion to a user. */
export const grantTo = (userId: number, f: Filled) => ({
  path: { id: f.text('promoId') },
  body: { userIds: [userId], reason: f.text('reason') },
});

export const grantBonus: Bulk<UserListRow> = {
  label: 'Grant bonus',
  icon: 'gift',
  op: 'POST /admin/promo/{id}/grant',
  about: 'Players who may not have the promotion are skipped.',
  Fields: GrantFields,
  stale: [...STALE, GRANTS],
  run: async ({ id }, filled) => {
    const { skipped } = await send('POST /admin/promo/{id}/grant', grantTo(id, filled));
    if (skipped[0]) throw new Error(`Skipped: ${words(skipped[0].rule)}`);
  },
};

export const banUser: Bulk<UserListRow> = {
  label: 'Ban…',
  icon: 'ban',
  op: 'PATCH /admin/user/{id}/ban',
  isDangerous: true,
  about: 'Their sessions end immediately, and they can’t sign in again.',
  Fields: BanFields,
  stale: STALE,
  run: ({ id }, filled) =>
    send('PATCH /admin/user/{id}/ban', { path: { id }, body: { banReason: filled.optional('banReason') } }),
};

export const unbanUser: Bulk<UserListRow> = {
  label: 'Lift ban',
  icon: 'circle-check',
  op: 'PATCH /admin/user/{id}/unban',
  stale: STALE,
  run: ({ id }) => send('PATCH /admin/user/{id}/unban', { path: { id } }),
};
