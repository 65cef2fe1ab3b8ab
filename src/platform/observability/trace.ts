/** Attributes of a span, such as names, routes, counts and states. They never contain client input or database values. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export type SpanOptions = {
  attributes?: Attributes;
  kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  /**
   * The `traceparent` that this span continues, from another process or an earlier time. `none` begins a new trace. Defaults to the current
   * span.
   */
  parent?: string | 'none' | undefined;
  /** Related spans, such as the bets of a batch. */
  links?: readonly (string | undefined)[];
};

/** A span that begins in one function and ends in another. */
export type OpenSpan = {
  /** Runs `work` as part of the span. */
  within<T>(work: () => T): T;
  end(attributes?: Attributes, error?: unknown): void;
};

export type Tracing = {
  begin(name: string, options: SpanOptions): OpenSpan;
  /** Records a span that has already ended. Has no effect if no other span is active. */
  past(name: string, options: SpanOptions & { ms: number; error?: unknown }): void;
  current(): { traceId: string; traceparent: string } | undefined;
};

let tracing: Tracing | undefined;

/**
 * Enables tracing. It is called only by trace-export.ts, which loads the tracing libraries. Until then the functions in this file have no
 * effect.
 */
export function setTracing(next: Tracing | undefined): void {
  tracing = next;
}

export const isTracing = (): boolean => tracing !== undefined;

/**
 * Runs `work` as a span of this name, including everything that it starts and awaits. If it throws, the span records the error, which is
 * rethrown.
 */
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

/** Opens a span for work that is not a single function. Returns undefined while tracing is off. */
export const openSpan = (name: string, options: SpanOptions): OpenSpan | undefined =>
  tracing?.begin(name, options);

export function pastSpan(name: string, options: SpanOptions & { ms: number; error?: unknown }): void {
  tracing?.past(name, options);
}

/** Returns the current span as a W3C trace context, for other processes to continue. */
export const traceparent = (): string | undefined => tracing?.current()?.traceparent;

export const traceId = (): string | undefined => tracing?.current()?.traceId;
