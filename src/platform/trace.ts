/** What is known of a piece of work. Never what a client sent, never a value of the database: names, routes, counts, states. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export type SpanOptions = {
  attributes?: Attributes;
  kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  /** The `traceparent` of what this continues, in another process or later; `none` begins a trace. By default what is under way. */
  parent?: string | 'none' | undefined;
  /** Others that this has to do with: the bets of a batch. */
  links?: readonly (string | undefined)[];
};

/** A span that ends elsewhere than where it began. */
export type OpenSpan = {
  /** Runs `work` as a part of the span. */
  within<T>(work: () => T): T;
  end(attributes?: Attributes, error?: unknown): void;
};

export type Tracing = {
  begin(name: string, options: SpanOptions): OpenSpan;
  /** Notes what is already over; only as a part of something. */
  past(name: string, options: SpanOptions & { ms: number; error?: unknown }): void;
  current(): { traceId: string; traceparent: string } | undefined;
};

let tracing: Tracing | undefined;

/** Set by trace-export.ts, which alone loads the libraries. Until then everything here does nothing. */
export function setTracing(next: Tracing | undefined): void {
  tracing = next;
}

export const isTracing = (): boolean => tracing !== undefined;

/** Runs `work` as a span of this name: what it awaits and begins is part of it. A throw is its error and goes on. */
export async function span<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  if (!tracing) return work();
  const open = tracing.begin(name, options);
  try {
    const result = await open.within(work);
    open.end();
    return result;
  } catch (error) {
    open.end({}, error);
    throw error;
  }
}

/** For work that is no function; undefined while there are no traces. */
export const openSpan = (name: string, options: SpanOptions): OpenSpan | undefined =>
  tracing?.begin(name, options);

export function pastSpan(name: string, options: SpanOptions & { ms: number; error?: unknown }): void {
  tracing?.past(name, options);
}

/** What is under way, for others to continue (W3C trace context). */
export const traceparent = (): string | undefined => tracing?.current()?.traceparent;

export const traceId = (): string | undefined => tracing?.current()?.traceId;
