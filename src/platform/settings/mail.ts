import { z } from 'zod';
import { setting } from './setting.ts';

export const mail = {
  SMTP_URL: setting(
    z
      .string()
      .regex(/^smtps?:\/\//, 'needs to start with smtp:// or smtps://')
      .optional(),
    'Mail server, with user and password if it asks for them. Default in `local` and `test`: the sandbox, whose inbox is at /inbox.',
    true,
  ),
  MAIL_FROM: setting(
    z
      .string()
      .regex(
        /^[^\s<>@]+@[^\s<>@]+$|^[^<>\r\n]+ <[^\s<>@]+@[^\s<>@]+>$/,
        'needs an address, or `Name <address>`',
      )
      .default('Croupier <no-reply@croupier.example>'),
    'Sender of every mail.',
  ),
  ALERT_EMAIL: setting(
    z.email('needs an address').optional(),
    'Who is told when a game returns something else than it should, or its results are uneven. Absent: nobody is mailed; the log and the metric `return_alert` say it.',
  ),
  BRAND_NAME: setting(
    z.string().min(1).max(40).default('Croupier'),
    'Name of the site in mails and authenticator apps.',
  ),
};
