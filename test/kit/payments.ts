/** Coins at the payment provider of the sandbox; its page at / says what it takes. */
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

/** What somebody in front of the sandbox at this address decides about coins and payouts. */
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
    /** The webhooks so far: what was sent, how often, and the last answer. */
    deliveries: () =>
      call<{ path: string; body: string; tries: number; status: number | null }[]>('/deliveries'),
    /** What is not named behaves well. */
    behave: (behaviour: object = {}) => call('/behaviour', behaviour),
  };
}
