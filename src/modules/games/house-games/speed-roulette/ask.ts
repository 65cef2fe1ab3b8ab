import type { Config } from '../../../../platform/config.ts';
import type { Log } from '../../../../platform/log.ts';
import { createOutbound } from '../../../../platform/outbound.ts';

export type PublicChain = NonNullable<ReturnType<typeof createPublicChain>>;

/** A public chain of blocks, read over HTTP in the form of Esplora. Undefined where none is configured. */
export function createPublicChain({ config, log }: { config: Config; log: Log }) {
  const { PUBLIC_CHAIN_URL: baseUrl, PUBLIC_CHAIN_BLOCKS_AHEAD: ahead, PUBLIC_CHAIN_DEPTH: depth } = config;
  if (!baseUrl) return undefined;
  const partner = createOutbound({ name: 'public chain', baseUrl, log });
  const ask = async (path: string): Promise<string | undefined> => {
    const { status, text } = await partner.ask({ method: 'GET', path });
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`the public chain answered ${status}`);
    return text.trim();
  };
  const tip = async (): Promise<number> => {
    const text = (await ask('/blocks/tip/height')) ?? '';
    if (!/^\d{1,9}$/.test(text)) throw new Error('the public chain does not say how high it is');
    return Number(text);
  };
  const hashAt = async (height: number): Promise<string | undefined> => {
    const text = await ask(`/block-height/${height}`);
    if (text !== undefined && !/^[0-9a-f]{64}$/.test(text))
      throw new Error('the public chain answers a hash that is none');
    return text;
  };
  return {
    /** The hash of a block; undefined as long as there is none. */
    hashAt,
    /** A block that nobody has found yet. */
    futureHeight: async (): Promise<number> => (await tip()) + ahead,
    /** The hash of a block that others stand on, so that it stays. */
    settledHashAt: async (height: number): Promise<string | undefined> =>
      (await tip()) >= height + depth - 1 ? hashAt(height) : undefined,
  };
}
