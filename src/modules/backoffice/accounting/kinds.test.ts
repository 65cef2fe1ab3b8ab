import { describe, expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { transaction } from '../../../platform/database/db.ts';
import { ONE } from '../../../platform/money.ts';
import type { Kind } from '../../money/ledger/kinds.ts';
import { post } from '../../money/ledger/post.ts';

describe('the posting kinds of the test kit', () => {
  const app = fixture(() => startApp({ reconcileOnStop: false }));
  const player = fixture(() => app.newPlayer());

  test('fails when a posting has a kind without a statement type', async () => {
    const posting = {
      userId: player.id,
      currencyId: 'USDT',
      debit: 'house',
      credit: 'cash',
      amount: ONE,
    } as const;
    const book = (kind: string) =>
      transaction(app.services.db, (tx) =>
        post(tx, [{ key: `test:${kind}`, kind, postings: [{ ...posting, kind: kind as Kind }] }]),
      );
    await book('admin.adjustment');
    await book('test.anything');
    await app.assertInvariants();
    await book('gift');
    await expect(app.assertInvariants()).rejects.toThrow('no name for');
  });
});
