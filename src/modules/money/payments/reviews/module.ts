import { defineModule } from '../../../../http/module.ts';
import type { DepositReviewDeps } from '../deps.ts';
import { approveReview, rejectReview } from './decide.ts';
import { RETURN } from './execute.ts';
import { listDepositReviews } from './list.ts';
import { lapseExpired } from './queries.ts';
import { reviewDeposit } from './review.ts';
import { runReturn } from './send-return.ts';

const operations = [listDepositReviews, reviewDeposit, approveReview, rejectReview];

export const depositReviews = defineModule({
  name: 'deposit-reviews',
  operations,
  backoffice: { operations, without: '/admin/payments', tag: 'Payments' },
  jobs: ({ db }: DepositReviewDeps) => [
    { name: 'deposit-reviews.lapse', everyMs: 300_000, run: () => lapseExpired(db) },
  ],
  tasks: ({ payments }: DepositReviewDeps) => ({ [RETURN]: (payload) => runReturn(payments, payload) }),
});
