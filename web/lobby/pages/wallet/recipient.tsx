import type { PaymentMethod, PlayerWithdrawal } from '../../../../client/call.ts';
import { Field } from '../../../kit/form/field.tsx';
import { Chip } from '../../../kit/form/toggle.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { useRead } from '../../../kit/query.ts';
import { words } from '../../words.ts';

export type Draft = {
  networkId: string | undefined;
  recipientAddress: string;
  recipientMemo: string;
  amount: string;
};
export const NO_DRAFT: Draft = { networkId: undefined, recipientAddress: '', recipientMemo: '', amount: '' };

type Used = Pick<PlayerWithdrawal, 'recipientAddress' | 'recipientMemo'>;
type RecipientProps = {
  method: PaymentMethod;
  network: string;
  draft: Draft;
  used: readonly Used[];
  /** True if the server rejected the quote. An invalid address is one possible reason. */
  isRefused: boolean;
  onChange: (part: Partial<Draft>) => void;
};

const short = (address: string) =>
  address.length > 14 ? `${address.slice(0, 6)}…${address.slice(-5)}` : address;

/** The address, whose form is checked here and its checksum with the quote, and addresses that were used before. */
export function Recipient({ method, network, draft, used, isRefused, onChange }: RecipientProps) {
  const { withdraw } = words.money;
  const { recipientAddress, recipientMemo } = draft;
  const fits = new RegExp(method.addressPattern ?? '').test(recipientAddress);
  const isGood = recipientAddress !== '' && method.addressPattern !== null && fits && !isRefused;
  return (
    <>
      <div className="stack tight">
        <Field
          name="recipientAddress"
          label={withdraw.address}
          hint={withdraw.addressHint}
          value={recipientAddress}
          onChange={({ target }) => onChange({ recipientAddress: target.value.trim() })}
          problem={recipientAddress !== '' && !fits ? withdraw.wrongAddress(network) : undefined}
          required
          maxLength={200}
          spellCheck={false}
          autoCapitalize="off"
          className="mono"
          end={isGood && <Icon name="circle-check" size={16} />}
        />
        {used.length > 0 && (
          <div className="actions">
            <span className="faint xs">{withdraw.used}</span>
            {used.map((one) => (
              <Chip
                key={`${one.recipientAddress} ${one.recipientMemo}`}
                onClick={() =>
                  onChange({ recipientAddress: one.recipientAddress, recipientMemo: one.recipientMemo ?? '' })
                }
              >
                {short(one.recipientAddress)}
              </Chip>
            ))}
          </div>
        )}
      </div>
      {method.memoRequired && (
        <Field
          name="recipientMemo"
          label={withdraw.memo}
          hint={withdraw.memoHint}
          value={recipientMemo}
          onChange={({ target }) => onChange({ recipientMemo: target.value.trim() })}
          required
          maxLength={100}
        />
      )}
    </>
  );
}

const LOOKED_AT = 20;
const SHOWN = 3;

/** Addresses of completed withdrawals on a network, newest first. */
export function useAddresses(networkId: string) {
  const { data } = useRead('GET /payments/withdraw', { query: { page: 1, take: LOOKED_AT } });
  const sent = (data?.data ?? []).filter(({ status }) => status === 'COMPLETED');
  const here = sent.filter((one) => one.networkId === networkId);
  const used = new Map(here.map((one) => [`${one.recipientAddress} ${one.recipientMemo}`, one]));
  return {
    used: [...used.values()].slice(0, SHOWN) as readonly Used[],
    /** True if the address was never used. False if it was, or if the whole history was not read. */
    isNew: (address: string) =>
      data !== undefined && data.total <= LOOKED_AT && !sent.some((one) => one.recipientAddress === address),
  };
}
