import type { RakebackState } from '../../../client/call.ts';
import { Badge } from '../../kit/figures.tsx';
import { money } from '../../kit/intl.ts';
import { useRead } from '../../kit/query.ts';
import { sum } from '../amounts.ts';

/** The value in US dollars that can be claimed now. */
export const readyUsd = ({ totalsUsd: { instant, daily, weekly, monthly } }: RakebackState): string =>
  sum([instant, daily, weekly, monthly]);

/** Returns the rakeback in US dollars that the player can claim, or undefined if it is less than a cent or not known yet. */
export function useReadyRakeback(isEnabled = true): { usd: string | undefined; isPending: boolean } {
  const { data, isPending } = useRead('GET /rakeback', {}, { staleMs: 60_000, isEnabled });
  if (!data) return { usd: undefined, isPending };
  const usd = readyUsd(data);
  return { usd: Number(usd) < 0.01 ? undefined : usd, isPending };
}

/** The rakeback that the player can claim. */
export function ReadyRakeback() {
  const { usd } = useReadyRakeback();
  return usd === undefined ? null : <Badge tone="accent">{money(usd)}</Badge>;
}
