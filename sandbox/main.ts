import { startSandbox } from './server.ts';

const port = Number(process.env.SANDBOX_PORT || 3900);
const host = process.env.HOST || '127.0.0.1';

const sandbox = await startSandbox({ port, host });
console.log(`sandbox listens on http://${host}:${sandbox.port}/`);

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void sandbox.close());
