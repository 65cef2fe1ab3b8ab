import type { Message } from '../platform/broker/broker.ts';
import type { Job } from '../platform/jobs/jobs.ts';
import type { Tasks } from '../platform/queue/queue.ts';
import { bind, type Operation } from './operation.ts';
import { type Route, remount } from './route.ts';

/**
 * Parts that modules and areas add to the processes. Each is a function of the services, so that documents and tests start none of them.
 */
export type Parts<Services> = {
  /** Jobs that the worker repeats. */
  jobs?: (services: Services) => Job[];
  /** Handlers for tasks that a request has queued, by task name. */
  tasks?: (services: Services) => Tasks;
  subscriptions?: (services: Services) => Subscription[];
  /** Consumers of settled bets. */
  consumers?: (services: Services) => Consumer[];
  /** Registers metrics that only a worker measures. */
  watch?: (services: Services) => void;
  /** Runs before a process listens. All areas start at the same time. */
  start?: (services: Services) => Promise<unknown>;
  /** Runs after the last request, in reverse order of the areas. */
  close?: (services: Services) => Promise<unknown>;
};

/** A broker queue and the handler of its messages; see `Broker.subscribe`. */
export type Subscription = {
  queue: string;
  patterns: readonly string[];
  maxAttempts: number;
  handle: (message: Message) => Promise<void>;
};

/** A consumer of settled bets. */
export type Consumer = {
  name: string;
  everyMs: number;
  /** Consumes one batch and returns its number of effects. */
  consume: (batch?: number) => Promise<number>;
  /** Returns true if bets are left to consume. `wereIdsTaken`: false if no ledger id was taken since the last call. */
  hasNews: (wereIdsTaken?: boolean) => Promise<boolean>;
  /** Consumes until no bets are left, or for a limited time. */
  catchUp: () => Promise<void>;
};

/** A module: its operations, and its other parts. */
export type Module<Services> = Parts<Services> & {
  name: string;
  /** Served by the main API. */
  operations: readonly Operation<Services>[];
  /** Operations that the backoffice serves as well: the beginning of the path is left out, and the tag replaced. */
  backoffice?: { operations: readonly Operation<Services>[]; without: string; tag: string };
};

export const defineModule = <Services>(module: Module<Services>): Module<Services> => module;

/** An area's contribution to the processes (src/modules/<area>/area.ts). */
export type Area<Services> = Parts<Services> & {
  /** Routes of the main API and of the backoffice. */
  routes?: (services: Services) => Route[];
  backofficeRoutes?: (services: Services) => Route[];
};

/** An area made of modules, with parts that no module defines. */
export function areaOf<Services>(
  modules: readonly Module<Services>[],
  rest: Area<Services> = {},
): Required<Area<Services>> {
  const all: readonly Parts<Services>[] = [...modules, rest];
  return {
    routes: (services) => [
      ...modules.flatMap(({ operations }) => bind(operations, services)),
      ...(rest.routes?.(services) ?? []),
    ],
    backofficeRoutes: (services) => [
      ...modules.flatMap(({ backoffice }) =>
        backoffice ? remount(bind(backoffice.operations, services), backoffice) : [],
      ),
      ...(rest.backofficeRoutes?.(services) ?? []),
    ],
    jobs: (services) => all.flatMap(({ jobs }) => jobs?.(services) ?? []),
    tasks: (services) => Object.assign({}, ...all.map(({ tasks }) => tasks?.(services))),
    subscriptions: (services) => all.flatMap(({ subscriptions }) => subscriptions?.(services) ?? []),
    consumers: (services) => all.flatMap(({ consumers }) => consumers?.(services) ?? []),
    watch: (services) => {
      for (const { watch } of all) watch?.(services);
    },
    start: (services) => Promise.all(all.map(({ start }) => start?.(services))),
    close: (services) => Promise.all(all.map(({ close }) => close?.(services))),
  };
}
