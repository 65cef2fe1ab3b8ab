import { networkName } from '../kit/networks.ts';
import { useRead } from '../kit/query.ts';

const STALE_MS = 300_000;

type NetworkProps = { of: string | null | undefined; in?: string | null | undefined };

/** The name of a network. `in`: the currency of the payment. */
export function Network({ of: networkId, in: currencyId }: NetworkProps) {
  const { data } = useRead('GET /currency', {}, { staleMs: STALE_MS });
  return networkId ? networkName(data, networkId, currencyId) : null;
}
