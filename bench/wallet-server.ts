/** The server of `npm run bench wallet`: the main API, and a no-op variant that only verifies the signatures of the same requests. */
import { createPartApp, mainRoutes } from '../src/app/apps.ts';
import { createServices, type Services } from '../src/app/services.ts';
import type { Route } from '../src/http/route.ts';
import { webhookErrors } from '../src/modules/base/webhooks/schemas.ts';
import type { WalletResponse } from '../src/modules/games/seamless-wallet/engine/call.ts';
import { loadConfig } from '../src/platform/config/config.ts';
import { units } from '../src/platform/money.ts';
import { createLog } from '../src/platform/observability/log.ts';
import type { FromServer } from './protocol.ts';
import { asNoopRead } from './variants/noop.ts';
import { variantRoutes } from './variants/routes.ts';
import { NOOP } from './wallet-protocol.ts';

const CALLBACKS = '/webhooks/games/{provider}';

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

/** Returns routes that check the signature and always return the same response. */
function signaturesAlone(all: Services): Route[] {
  const responses = new Map<string, { status: number; body: object }>();
  return mainRoutes(all)
    .filter(({ path }) => path.startsWith(CALLBACKS))
    .map((route) => ({
      ...route,
      path: `${NOOP}${route.path}`,
      handler({ params, notice, setStatus }) {
        const action = route.path.slice(CALLBACKS.length + 1);
        const provider = all.gameProviders.get(params.provider);
        const { raw, headers } = notice!;
        if (!provider.verify(raw, headers)) throw webhookErrors.SIGNATURE_INVALID();
        const name = `${params.provider} ${action}`;
        const response = responses.get(name) ?? provider.answer(action, accepted(), {});
        responses.set(name, response);
        setStatus(response.status);
        return response.body;
      },
    }));
}

function accepted(): WalletResponse {
  return {
    status: 'OK',
    balance: units('1000000'),
    currencyId: 'USDT',
    actions: [{ id: 'a-transaction', transactionId: '1000000', at: new Date(), isRepeated: false }],
    isRepeated: false,
  };
}

/** Returns a list and a search as no-op operations. Each always returns its first response. */
function catalogueAlone(all: Services): Route[] {
  const list = mainRoutes(all).find(({ method, path }) => method === 'GET' && path === '/casino/games')!;
  return ['list', 'search'].map((name) => ({ ...asNoopRead(list), path: `${NOOP}/games-${name}` }));
}
