import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Config } from '../config/config.ts';
import { sqlState } from '../database/errors.ts';
import { VERSION } from '../version.ts';
import { type Attributes, type SpanOptions, setTracing } from './trace.ts';

type Options = Pick<Config, 'OTEL_EXPORTER_OTLP_HEADERS' | 'OTEL_TRACES_SAMPLER_ARG' | 'APP_ENV'> & {
  OTEL_EXPORTER_OTLP_ENDPOINT: string;
};

/**
 * Sends the traces of this process to an OTLP collector over HTTP. Load this module only if a collector is configured
 * (`OTEL_EXPORTER_OTLP_ENDPOINT`), and before creating the components that it traces. Spans that the collector does not accept in time are
 * dropped, so nothing waits for the collector. `close` sends the remaining spans.
 */
export function startTraces(part: string, config: Options): { close(): Promise<void> } {
  const url = `${config.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, '')}/v1/traces`;
  const exporter = new OTLPTraceExporter({ url, headers: headersOf(config.OTEL_EXPORTER_OTLP_HEADERS) });
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.name': `croupier-${part}`,
        'service.version': VERSION,
        'deployment.environment.name': config.APP_ENV,
      }),
    ),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(config.OTEL_TRACES_SAMPLER_ARG) }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter, scheduledDelayMillis: 1000, exportTimeoutMillis: 5000 }),
    ],
  });
  const tracer = provider.getTracer('croupier', VERSION);
  const current = new AsyncLocalStorage<Span>();
  setTracing({
    begin(name, options) {
      const span = tracer.startSpan(name, told(options), above(current.getStore(), options.parent));
      return { within: (work) => current.run(span, work), end: (more, error) => endSpan(span, more, error) };
    },
    past(name, { ms, error, ...options }) {
      const within = current.getStore();
      if (!within?.isRecording()) return;
      const end = Date.now();
      const form = { ...told(options), startTime: end - ms };
      endSpan(tracer.startSpan(name, form, above(within, options.parent)), {}, error, end);
    },
    current() {
      const context = current.getStore()?.spanContext();
      return context && { traceId: context.traceId, traceparent: write(context) };
    },
  });
  return {
    async close() {
      setTracing(undefined);
      await provider.shutdown().catch(() => undefined);
    },
  };
}

const told = ({ attributes = {}, kind = 'internal', links = [] }: SpanOptions) => ({
  kind: SpanKind[kind.toUpperCase() as Uppercase<typeof kind>],
  attributes: known(attributes),
  links: links.flatMap((text) => contextOf(text) ?? []).map((context) => ({ context })),
});

function above(span: Span | undefined, parent: string | undefined): Context {
  if (parent === undefined) return span ? trace.setSpan(ROOT_CONTEXT, span) : ROOT_CONTEXT;
  const context = contextOf(parent);
  return context ? trace.setSpanContext(ROOT_CONTEXT, { ...context, isRemote: true }) : ROOT_CONTEXT;
}

/** Ends a span. It records only the kind of error, because an error message may quote client input or stored data. */
function endSpan(span: Span, more: Attributes = {}, error?: unknown, end?: number): void {
  span.setAttributes(known(more));
  if (error !== undefined) {
    const code = (error as { code?: unknown } | null)?.code;
    const kind =
      sqlState(error) ?? (typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : 'error');
    span.setAttribute('error.type', kind);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end(end);
}

const known = (attributes: Attributes) =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));

const write = ({ traceId, spanId, traceFlags }: SpanContext) =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;

function contextOf(text: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text ?? '') ?? [];
  return traceId && spanId && flags ? { traceId, spanId, traceFlags: Number.parseInt(flags, 16) } : undefined;
}

/** Parses `name=value,name=value` with percent-encoded values. */
function headersOf(text: string | undefined): Record<string, string> {
  const pairs = (text ?? '').split(',').flatMap((pair) => {
    const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    return name && value ? [[name, decodeURIComponent(value)]] : [];
  });
  return Object.fromEntries(pairs);
}
