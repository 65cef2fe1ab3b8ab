import { Form } from '../../../kit/form/form.tsx';
import { words } from '../../../kit/page.tsx';
import { useAct } from '../../../kit/query.ts';
import { PromotionFacts } from '../promo/promotion-facts.tsx';
import { GrantFields, grantTo } from './bulk.tsx';
import { GRANTS, STALE } from './shared.ts';

/** Grants a promotion to one user. */
export function GrantForm({ id, name, onDone }: { id: number; name: string; onDone: () => void }) {
  const grant = useAct('POST /admin/promo/{id}/grant', {
    stale: [...STALE, GRANTS],
    said: ({ skipped: [skipped] }) => (skipped ? `Skipped: ${words(skipped.rule)}` : 'Bonus granted'),
    onDone,
  });
  return (
    <Form
      act={grant}
      input={(f) => grantTo(id, f)}
      submit="Grant bonus"
      confirm={`Grant this bonus to ${name}?`}
      tells={({ path }) => <PromotionFacts id={path.id} />}
    >
      <GrantFields />
    </Form>
  );
}
