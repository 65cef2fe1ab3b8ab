import { keepPreviousData, QueryCache, QueryClient, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Answer, type Input, type Op, Refused } from '../../client/call.ts';
import { call } from './api.ts';
import { askForCode } from './code.tsx';
import { createStore } from './store.ts';
import { say } from './toast.tsx';

/** Whether the server wants a second factor of this session before it answers anything else. */
export const wantsFactor = createStore(false);

export const queries = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => asRefused(error).code === 'MFA_REQUIRED' && wantsFactor.set(true),
  }),
  defaultOptions: { queries: { retry: false, staleTime: 5000 }, mutations: { retry: false } },
});

type Reading = {
  /** False: nothing is asked for yet. */
  isEnabled?: boolean;
  /** Reads again so often while it is on the screen. */
  everyMs?: number;
  /** For how long it is as good as new. */
  staleMs?: number;
};

/** What an operation answers, shared by all who ask the same. While the next page is read the last one stays. */
export function useRead<O extends Op>(
  op: O,
  input: Input<O>,
  { isEnabled = true, everyMs, staleMs }: Reading = {},
) {
  return useQuery<Answer<O>, Refused>({
    queryKey: [op, input],
    queryFn: ({ signal }) => call(op, input, { signal }),
    placeholderData: keepPreviousData,
    enabled: isEnabled,
    refetchInterval: everyMs ?? false,
    ...(staleMs === undefined ? {} : { staleTime: staleMs }),
  });
}

/** Whatever was read by these operations is read again, where it is on the screen. */
export const refresh = (...ops: readonly Op[]) =>
  Promise.all(ops.map((op) => queries.invalidateQueries({ queryKey: [op] })));

type Acting<O extends Op> = {
  /** Operations whose answers have changed when this one is done. */
  stale?: readonly Op[];
  /** What is said then. */
  said?: string | ((answer: Answer<O>) => string);
  onDone?: (answer: Answer<O>) => void;
};

export type Act<O extends Op> = {
  op: O;
  /** Resolves to what was answered; undefined: it was refused, and `refused` says why. */
  run: (input: Input<O>) => Promise<{ answer: Answer<O> } | undefined>;
  isBusy: boolean;
  refused: Refused | undefined;
  /** What the last one was answered. */
  answered: Answer<O> | undefined;
  forget: () => void;
};

/** An operation that changes something: nothing is shown as done before the server has said so. */
export function useAct<O extends Op>(op: O, { stale = [], said, onDone }: Acting<O> = {}): Act<O> {
  const [refused, setRefused] = useState<Refused>();
  const mutation = useMutation({
    mutationFn: (input: Input<O>) => proven(op, input),
    onSuccess: async (answer) => {
      if (said !== undefined) say(typeof said === 'function' ? said(answer) : said);
      await refresh(...stale);
      onDone?.(answer);
    },
  });
  return {
    op,
    isBusy: mutation.isPending,
    refused,
    answered: mutation.data,
    forget: () => setRefused(undefined),
    async run(input) {
      setRefused(undefined);
      try {
        return { answer: await mutation.mutateAsync(input) };
      } catch (error) {
        setRefused(asRefused(error));
        return undefined;
      }
    },
  };
}

/** One key for the press, however often the request is sent; where the second factor is asked for anew, its code goes with it. */
async function proven<O extends Op>(op: O, input: Input<O>): Promise<Answer<O>> {
  const key = crypto.randomUUID();
  let mfaCode: string | undefined;
  for (;;)
    try {
      return await call(op, input, mfaCode === undefined ? { key } : { key, mfaCode });
    } catch (error) {
      const { code } = asRefused(error);
      // Refused for want of a code that was sent: this operation takes it elsewhere.
      if (code !== (mfaCode === undefined ? 'MFA_REQUIRED' : 'MFA_INVALID')) throw error;
      mfaCode = await askForCode(code === 'MFA_INVALID');
      if (mfaCode === undefined) throw error;
    }
}

export const asRefused = (error: unknown): Refused =>
  error instanceof Refused
    ? error
    : new Refused(0, { code: 'FAILED', message: error instanceof Error ? error.message : String(error) });
