import { z } from 'zod';
import { object, Timestamp } from '../../../http/schemas.ts';

export const Faq = object('Faq', {
  id: z.number(),
  title: z.string().meta({ example: 'How long does a withdrawal take?' }),
  text: z.string(),
  order: z.number(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

const id = z.int32().min(1);
const title = z.string().trim().min(1).max(200);
const text = z.string().trim().min(1).max(20_000);
/** New questions come after all others: room is left behind the last place that staff can name. */
const LAST_ORDER = 1_000_000_000;

export const NewFaq = z.strictObject({ title, text });

export const FaqChange = z.strictObject({
  id,
  title: title.optional(),
  text: text.optional(),
  order: z.int32().min(0).max(LAST_ORDER).optional(),
});

export const FaqRemoval = z.strictObject({ id });
