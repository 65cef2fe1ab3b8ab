/** The server of `npm run bench:wallet`: the main API, and beside it the same requests that do nothing but prove their signature. */
import { createPartApp, mainRoutes } from '../src/apps.ts';
import type { Route } from '../src/http/route.ts';
import { webhookErrors } from '../src/modules/base/webhooks/errors.ts';
import type { WalletAnswer } from '../src/modules/games/provider-wallets/call.ts';
import { providerWalletRoutes } from '../src/modules/games/provider-wallets/routes.ts';
import { loadConfig } from '../src/platform/config.ts';
import { createLog } from '../src/platform/log.ts';
import { units } from '../src/platform/money.ts';
import { createServices, type Services } from '../src/services.ts';
import type { FromServer } from './protocol.ts';
import { asNoopRead } from './variants/noop.ts';
import { variantRoutes } from './variants/routes.ts';
import { NOOP } from './wallet-protocol.ts';

process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));

const config = loadConfig(process.env);
const databaseUrl = config.DATABASE_URL!;
const log = createLog({ level: config.LOG_LEVEL, service: 'bench wallet' });
const services = await createServices({ config, log, name: 'bench wallet', databaseUrl });
const house = await variantRoutes('noop', services, databaseUrl);
const app = await createPartApp('api', services, [
  ...house.routes,
  ...signaturesAlone(services),
  ...catalogueAlone(services),
]);
const url = await app.listen({ port: 0, host: '127.0.0.1' });

process.on('message', () => {
  void (async () => {
    await app.close();
    await house.close();
    await services.close();
    process.exit(0);
  })();
});
process.send?.({ type: 'listening', port: Number(new URL(url).port) } satisfies FromServer);

/** Proves the signature, and answers what is always the same. */
function signaturesAlone({ gameProviders }: Services): Route[] {
  const answers = new Map<string, { status: number; body: object }>();
  const routes = providerWalletRoutes({
    async receive(slug, action, { raw, headers }) {
      const provider = gameProviders.get(slug);
      if (!provider.verify(raw, headers)) throw webhookErrors.SIGNATURE_INVALID();
      const name = `${slug} ${action}`;
      const answer = answers.get(name) ?? provider.answer(action, carriedOut(), {});
      answers.set(name, answer);
      return answer;
    },
  });
  return routes.map((route) => ({ ...route, path: `${NOOP}${route.path}` }));
}

function carriedOut(): WalletAnswer {
  return {
    status: 'OK',
    balance: units('1000000'),
    currencyId: 'USDT',
    actions: [{ id: 'a-transaction', transactionId: '1000000', at: new Date(), isRepeated: false }],
    isRepeated: false,
  };
}

/** A list and a search, each with the first answer to it ever again. */
function catalogueAlone(all: Services): Route[] {
  const list = mainRoutes(all).find(({ method, path }) => method === 'GET' && path === '/casino/games')!;
  return ['list', 'search'].map((name) => ({ ...asNoopRead(list), path: `${NOOP}/games-${name}` }));
}
