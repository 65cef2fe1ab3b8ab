import { z } from 'zod';
import { CurrencyId, object, strictObject, Timestamp } from '../../../../http/schemas.ts';

export const GamePath = z.object({ slug: z.string().min(1).max(200) });

export const Launch = strictObject('GameLaunchRequest', {
  currencyId: CurrencyId.optional().meta({ description: 'Needed unless `demo` is true.' }),
  device: z.enum(['DESKTOP', 'MOBILE']).default('DESKTOP'),
  demo: z.boolean().default(false),
  returnUrl: z
    .string()
    .max(2000)
    .optional()
    .meta({ description: "Where the game's close button leads: an address of a configured site." }),
});

export const GameLaunch = object('GameLaunch', {
  url: z.string().meta({ description: 'Open it in a frame or a window.' }),
  sessionToken: z.string().nullable().meta({ description: 'Null: a demo.' }),
  expiresAt: Timestamp,
});
