import { z } from 'zod';
import { PageNumber, SortOrder, take } from '../../../http/schemas.ts';
import { RiskLevel, UserId } from '../../base/users/schemas.ts';

const NoteId = UserId;
const Text = z.string().trim().min(1).max(5000);

export const NewNote = z.strictObject({ note: Text, userId: UserId, riskLevel: RiskLevel.default('NONE') });

export const NoteChange = z
  .strictObject({ id: NoteId, note: Text.optional(), riskLevel: RiskLevel.optional() })
  .refine(({ note, riskLevel }) => note !== undefined || riskLevel !== undefined, 'needs note or riskLevel');

export const NotePath = z.object({ id: NoteId });

export const NoteQuery = z.strictObject({
  sortBy: z.enum(['createdAt', 'updatedAt', 'riskLevel']).default('createdAt'),
  sortOrder: SortOrder.default('desc'),
  search: z.string().min(1).max(50).optional(),
  userId: UserId.optional(),
  riskLevel: RiskLevel.optional(),
  page: PageNumber,
  take: take(20),
});
