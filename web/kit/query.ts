import { QueryCache, QueryClient, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Answer, type Input, type Op, Refused } from '../../client/call.ts';
import { call } from './api.ts';
import { askForCode, askForPassword } from './code.tsx';
import { createOrders } from './orders.ts';
import { isSameObject } from './same-object.ts';
import { createStore } from './store.ts';
import { type Said, say } from './toast.tsx';
import { kit } from './words.ts';

/** True if the server requires a second factor for this session before any other request. */
export const wantsFactor = createStore(false);

export const queries = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => asRefused(error).code === 'MFA_REQUIRED' && wantsFactor.set(true),
  }),
  // A mutation of an offline visitor fails immediately. Otherwise it would be sent much later, when the connection is back.
  defaultOptions: {
    queries: { retry: false, staleTime: 5000 },
    mutations: { retry: false, networkMode: 'always' },
  },
});

type Reading = {
  /** If false, no request is sent. */
  isEnabled?: boolean;
  /** Polling interval while a component uses the query. */
  everyMs?: number;
  /** Time during which a cached response counts as fresh. */
  staleMs?: number;
};

/**
 * Reads the response of an operation. Components with the same input share the response. While the next page of a list loads, the previous
 * page stays on the screen. The response about another object (another path) does not.
 */
export function useRead<O extends Op>(
  op: O,
  input: Input<O>,
  { isEnabled = true, everyMs, staleMs }: Reading = {},
) {
  return useQuery<Answer<O>, Refused>({
    queryKey: [op, input],
    queryFn: ({ signal }) => call(op, input, { signal }),
    placeholderData: (before, query) => (isSameObject(query?.queryKey, [op, input]) ? before : undefined),
    enabled: isEnabled,
    refetchInterval: everyMs ?? false,
    ...(staleMs === undefined ? {} : { staleTime: staleMs }),
  });
}

/** Reads the responses of these operations again if they are on the screen. Otherwise marks them as stale. */
export const refresh = (...ops: readonly Op[]) =>
  Promise.all(ops.map((op) => queries.invalidateQueries({ queryKey: [op] })));

type Acting<O extends Op> = {
  /** Operations whose responses change when this operation succeeds. */
  stale?: readonly Op[];
  /** Message shown after success. */
  said?: Said | ((answer: Answer<O>) => Said);
  onDone?: (answer: Answer<O>) => void;
  /**
   * Returns the part of the input that does not change when the user repeats an order, for example without a quote or a code. Default: the
   * whole input.
   */
  orderOf?: (input: Input<O>) => unknown;
};

export type Act<O extends Op> = {
  op: O;
  /**
   * Resolves to the response when the data on the screen is up to date. After an error, it resolves to undefined and the error is in
   * `refused`. `onAnswer` is called when the response arrives.
   */
  run: (input: Input<O>, onAnswer?: () => void) => Promise<{ answer: Answer<O> } | undefined>;
  isBusy: boolean;
  refused: Refused | undefined;
  /** The last response. */
  answered: Answer<O> | undefined;
  /** The input of the last response. */
  answeredTo: Input<O> | undefined;
  forget: () => void;
};

type Given<O extends Op> = { input: Input<O>; onAnswer: (() => void) | undefined };

/** Runs an operation that changes data. The result is shown only after the server's response. */
export function useAct<O extends Op>(op: O, { stale = [], said, onDone, orderOf }: Acting<O> = {}): Act<O> {
  const [refused, setRefused] = useState<Refused>();
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const mutation = useMutation({
    mutationFn: ({ input }: Given<O>) =>
      sendOrder({ userId: userId(), op, input, order: orderOf?.(input) ?? input }),
    onSuccess: async (answer, { onAnswer }) => {
      onAnswer?.();
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
    answeredTo: mutation.isSuccess ? mutation.variables.input : undefined,
    forget: () => setRefused(undefined),
    async run(input, onAnswer) {
      setRefused(undefined);
      try {
        return { answer: await mutation.mutateAsync({ input, onAnswer }) };
      } catch (error) {
        const found = asRefused(error);
        setRefused(found);
        // The form that would show the error may be gone.
        if (!isShown.current) say(kit.refusal(found), true);
        return undefined;
      }
    },
  };
}

const sendOrder = createOrders({ call, askForCode, askForPassword });

/** The id of the signed-in user. Undefined for visitors, and until it is known. */
export function userId(): number | undefined {
  const me = queries.getQueryState<{ id: number }, { status?: number }>(['GET /user/me', {}]);
  return me?.error?.status === 401 ? undefined : me?.data?.id;
}

/** Sends a request that changes data, with the same idempotency key if it repeats a request whose outcome is unknown. */
export const send = <O extends Op>(op: O, input: Input<O>): Promise<Answer<O>> =>
  sendOrder({ userId: userId(), op, input, order: input });

export const asRefused = (error: unknown): Refused =>
  error instanceof Refused
    ? error
    : new Refused(0, { code: 'FAILED', message: error instanceof Error ? error.message : String(error) });
