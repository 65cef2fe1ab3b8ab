import { z } from 'zod';
import { setting } from './setting.ts';

export const traces = {
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    z
      .string()
      .regex(/^https?:\/\//, 'needs to start with http:// or https://')
      .optional(),
    'OpenTelemetry collector that gets the traces, by OTLP over HTTP (`http://127.0.0.1:4318`). Absent: there are none.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: setting(
    z.string().optional(),
    'Headers that the collector asks for: `name=value,name=value`, values percent-encoded.',
    true,
  ),
  OTEL_TRACES_SAMPLER_ARG: setting(
    z.coerce.number().min(0).max(1).default(1),
    'Share of the traces that is kept, from 0 to 1.',
  ),
};
