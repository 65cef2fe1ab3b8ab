import { createHash } from 'node:crypto';
import {
  createModes,
  json,
  parseObject,
  type SandboxRequest,
  type SandboxService,
  text,
} from './endpoint.ts';

/** Time between blocks. The clock adds one block per interval, starting from height 0 on 1 January 2026. */
const BLOCK_MS = 1000;
const GENESIS_MS = Date.UTC(2026, 0, 1);

/**
 * A public blockchain with an Esplora API. The clock determines the height, and the height determines each hash, so the chain continues
 * after a restart. `POST /chain/blocks` adds blocks immediately, for tests.
 */
export function blocks({ url, now = Date.now }: { url: string; now?: () => number }): SandboxService {
  let found = 0;
  const tip = () => Math.floor((now() - GENESIS_MS) / BLOCK_MS) + found;
  const find = ({ body }: SandboxRequest) => {
    const count = parseObject(body)?.count;
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > 1000)
      return json(400, { error: 'count is a whole number from 1 to 1000' });
    found += count;
    return json(200, { height: tip() });
  };
  const modes = createModes(
    '/chain/behaviour',
    ['ok', 'down', 'garbage'],
    'Sets the behaviour: ok, down (no response) or garbage (neither a height nor a hash).',
  );
  return {
    name: 'Public chain',
    about: 'A blockchain with one new block every second. No one can know the hash of a future block.',
    settings: { PUBLIC_CHAIN_URL: `${url}/chain` },
    endpoints: [
      {
        method: 'GET',
        path: '/chain/blocks/tip/height',
        about: 'Returns the height of the latest block.',
        handle: modes.behaving(() => text(200, String(tip()))),
      },
      {
        method: 'GET',
        path: '/chain/block-height/{height}',
        about: 'Returns the hash of a block, or 404 until the block exists.',
        handle: modes.behaving(({ params }) => {
          const { height = '' } = params;
          if (!/^\d{1,12}$/.test(height) || Number(height) > tip()) return text(404, 'Block not found');
          return text(200, hashOf(Number(height)));
        }),
      },
      {
        method: 'POST',
        path: '/chain/blocks',
        about: 'Finds more blocks immediately.',
        example: '{ "count": 3 }',
        handle: find,
      },
      modes.endpoint,
    ],
  };
}

const hashOf = (height: number): string =>
  createHash('sha256').update(`sandbox block ${height}`).digest('hex');
