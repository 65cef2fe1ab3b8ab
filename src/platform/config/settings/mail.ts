import { z } from 'zod';
import { address, hidden } from './setting.ts';

export const mail = {
  SMTP_URL: hidden(address(/^smtps?:\/\//, 'smtp:// or smtps://')).describe(
    'Mail server, with user and password if required. Default in `local` and `test`: the sandbox, whose inbox is at /inbox.',
  ),
  MAIL_FROM: z
    .string()
    .regex(
      /^[^\s<>@]+@[^\s<>@]+$|^[^<>\r\n]+ <[^\s<>@]+@[^\s<>@]+>$/,
      'needs an address, or `Name <address>`',
    )
    .default('Croupier <no-reply@croupier.example>')
    .describe('Sender of every mail.'),
  ALERT_EMAIL: z
    .email('needs an address')
    .optional()
    .describe(
      "Address that receives a mail when a game's return differs from the theory or its results are not evenly distributed. Absent: no mail is sent; the log and the metric `croupier_return_alert` report it.",
    ),
  BRAND_NAME: z
    .string()
    .min(1)
    .max(40)
    .default('Croupier')
    .describe('Name of the site in mails, authenticator apps, the lobby and the console.'),
};
