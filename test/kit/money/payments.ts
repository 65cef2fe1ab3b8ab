/** Controls the sandbox's payment provider. The sandbox's page at / documents the inputs. */
export type Coins = {
  address: string;
  memo?: string | null;
  currencyId: string;
  networkId: string;
  amount: string;
  txHash?: string;
  outputIndex?: number;
  confirmations?: number;
  status?: string;
};
export type Books = {
  deposits: { externalId: string; status: string; address: string; amount: string; txHash: string }[];
  payouts: { reference: string; status: string; address: string; amount: string; txHash: string | null }[];
  totals: Record<string, { in: string; out: string }>;
};

/** Controls coins and payouts of the sandbox at this URL. */
export function paymentsAt(sandboxUrl: string) {
  const call = async <T>(path: string, body?: object): Promise<T> => {
    const method = body ? 'POST' : 'GET';
    const answer = await fetch(`${sandboxUrl}/payments${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`/payments${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  return {
    coins: (coins: Coins) =>
      call<{ externalId: string; txHash: string; outputIndex: number }>('/coins', coins),
    reorg: (txHash: string, outputIndex?: number) => call('/reorg', { txHash, outputIndex }),
    settle: (reference: string, status: 'SENT' | 'COMPLETED' | 'FAILED', failedReason?: string) =>
      call('/settle', { reference, status, failedReason }),
    books: () => call<Books>('/books'),
    /** Returns the webhooks that were sent, with their bodies, attempts and last responses. */
    deliveries: () =>
      call<{ path: string; body: string; tries: number; status: number | null }[]>('/deliveries'),
    /** Sets the behavior. Fields that are left out are reset to normal. */
    behave: (behaviour: object = {}) => call('/behaviour', behaviour),
  };
}
