import { defineModule } from '../../../http/module.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Logs } from '../../../platform/observability/log.ts';
import { createMail, type Mail, SEND_MAIL } from './service.ts';

type Services = { mail: Mail };

export const mail = defineModule({
  name: 'mail',
  create: ({ config, log }: { config: Config; log: Logs }) => ({
    mail: createMail({ config, log: log.named('mail') }),
  }),
  tasks: ({ mail }: Services) => ({ [SEND_MAIL]: mail.deliver }),
  close: ({ mail }: Services) => mail.close(),
});
