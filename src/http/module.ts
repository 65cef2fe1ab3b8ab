import type { Job } from '../platform/jobs/jobs.ts';
import type { Tasks } from '../platform/queue/queue.ts';
import type { SentEvent } from './docs/asyncapi.ts';
import { bind, type Operation } from './operation.ts';
import { type Route, remount } from './route.ts';

/**
 * Parts that modules add to the processes. Each part is a function that receives the services, so that documents and tests can be created
 * without starting anything.
 */
export type Parts<Services> = {
  /** Routes of the main API that depend on the configuration. */
  routes?: (services: Services) => Route[];
  /** Jobs that the worker repeats. */
  jobs?: (services: Services) => Job[];
  /** Handlers for tasks that a request has queued, by task name. */
  tasks?: (services: Services) => Tasks;
  /** Consumers of settled bets. */
  consumers?: (services: Services) => Consumer[];
  /** Registers metrics that only a worker measures. */
  watch?: (services: Services) => void;
  /** Runs before a process listens. All areas start at the same time. */
  start?: (services: Services) => Promise<unknown>;
  /** Runs after the last request, in reverse order of the areas and their modules. */
  close?: (services: Services) => Promise<unknown>;
};

/** A consumer of settled bets. */
export type Consumer = {
  name: string;
  everyMs: number;
  /** Consumes one batch and returns the number of effects that it caused. */
  consume: (batch?: number) => Promise<number>;
  /**
   * Returns true if there are bets left to consume. `wereIdsTaken` is false if no ledger id has been assigned since this function last
   * returned false.
   */
  hasNews: (wereIdsTaken?: boolean) => Promise<boolean>;
  /** Consumes until no bets are left, or for a limited time. */
  catchUp: () => Promise<void>;
};

/** SQL queries that return rows only if data is inconsistent, by invariant and by the problem that the rows indicate. */
export type Checks = Readonly<Partial<Record<Invariant, Readonly<Record<string, string>>>>>;
/** The invariants of the books, which `PROVES` in operations/reconcile describes. */
export type Invariant = `N${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10}`;

/** Names that modules declare. Each name must be unique across the platform; see `gather`. */
export type Declarations = {
  /** Sections of the API reference and what they contain. */
  tags: Readonly<Record<string, string>>;
  /** Events that the module emits. */
  events: Readonly<Record<string, SentEvent>>;
  /** Notifications to players. */
  messages: Readonly<Record<string, object>>;
  /** Checks of the module's tables. `npx croupier reconcile` runs them. */
  checks: Checks;
};

const DECLARED = ['tags', 'events', 'messages'] as const;

/** Combines the declarations of modules or areas. Throws if a name is declared twice. */
export function gather(all: readonly Partial<Declarations>[]): Declarations {
  const merge = (name: string, of: (one: Partial<Declarations>) => object | undefined) => {
    const entries = all.flatMap((one) => Object.entries(of(one) ?? {}));
    const names = entries.map(([declared]) => declared);
    const twice = names.find((declared, i) => names.indexOf(declared) < i);
    if (twice !== undefined) throw new Error(`${name}: two modules declare '${twice}'`);
    return [name, Object.fromEntries(entries)];
  };
  const gathered = DECLARED.map((kind) => merge(kind, (one) => one[kind]));
  const invariants = new Set(all.flatMap(({ checks = {} }) => Object.keys(checks) as Invariant[]));
  const checks = [...invariants].map((invariant) => merge(invariant, (one) => one.checks?.[invariant]));
  return { ...Object.fromEntries(gathered), checks: Object.fromEntries(checks) };
}

/** A module: its services, its operations, and its other parts. `Before` is the type of the services that it depends on. */
export type Module<Services, Before = Services, Made = object> = Parts<Services> &
  Partial<Declarations> & {
    name: string;
    /** Creates the module's services from those of the modules before it. Opens no connections; see `start`. */
    create?: (before: Before) => Made;
    /** The operations that the main API serves. */
    operations: readonly Operation<Services>[];
    /** Operations that the backoffice also serves, with the prefix `without` removed from their paths and with a different tag. */
    backoffice?: { operations: readonly Operation<Services>[]; without: string; tag: string };
  };

type Optional<T, Key extends keyof T> = Omit<T, Key> & Partial<Pick<T, Key>>;

/** Defines a module. Modules that no request reaches leave `operations` out. */
export const defineModule = <Services, Before = Services, Made = object>({
  operations = [],
  ...rest
}: Optional<Module<Services, Before, Made>, 'operations'>): Module<Services, Before, Made> => ({
  operations,
  ...rest,
});

// biome-ignore lint/suspicious/noExplicitAny: modules of different services share one list
type AnyModule = Module<any, any, any>;

/** All services that these modules create, by name. */
export type MadeBy<Modules extends readonly AnyModule[]> = Intersection<
  { [I in keyof Modules]: Modules[I] extends Module<never, never, infer Made> ? [Made] : never }[number]
>;
type Intersection<Union> = (Union extends [infer One] ? (one: One) => void : never) extends (
  one: infer All,
) => void
  ? All
  : never;

/** Creates the services of these modules in order. Each module may use the services of the modules before it. */
export function createAll<const Modules extends readonly AnyModule[]>(
  modules: Modules,
  before: object,
): MadeBy<Modules> {
  const made: object = {};
  for (const { create } of modules) if (create) Object.assign(made, create({ ...before, ...made }));
  return made as MadeBy<Modules>;
}

/** The parts that an area adds to the processes (src/modules/<area>/area.ts). */
export type Area<Services> = Parts<Services> & {
  declarations: Declarations;
  backofficeRoutes: (services: Services) => Route[];
};

/** Returns an area made of modules. `Before` is the type of the services that the modules depend on, including functions of later areas. */
export function areaOf<Services, Before = Services>(
  all: readonly Module<Services, Before>[],
): Required<Area<Services>> {
  return {
    declarations: gather(all),
    routes: (services) =>
      all.flatMap(({ operations, routes }) => [...bind(operations, services), ...(routes?.(services) ?? [])]),
    backofficeRoutes: (services) =>
      all.flatMap(({ backoffice }) =>
        backoffice ? remount(bind(backoffice.operations, services), backoffice) : [],
      ),
    jobs: (services) => all.flatMap(({ jobs }) => jobs?.(services) ?? []),
    tasks: (services) => Object.assign({}, ...all.map(({ tasks }) => tasks?.(services))),
    consumers: (services) => all.flatMap(({ consumers }) => consumers?.(services) ?? []),
    watch: (services) => {
      for (const { watch } of all) watch?.(services);
    },
    start: (services) => Promise.all(all.map(({ start }) => start?.(services))),
    async close(services) {
      for (const { close } of all.toReversed()) await close?.(services);
    },
  };
}
