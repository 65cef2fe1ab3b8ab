import { z } from 'zod';
import { hidden, optionalText, optionalUrl } from './setting.ts';

export const traces = {
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalUrl.describe(
    'OpenTelemetry collector that receives traces by OTLP over HTTP (`http://127.0.0.1:4318`). Absent: no traces are recorded.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: hidden(optionalText()).describe(
    'Headers that the collector requires: `name=value,name=value`, values percent-encoded.',
  ),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Share of traces that is recorded, from 0 to 1.'),
};
