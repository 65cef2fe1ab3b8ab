import { z } from 'zod';

type Json = Record<string, unknown>;

/** JSON schema of a zod schema; named records (`.meta({ id })`) move to the components of the document. */
export function jsonSchema(
  schema: z.ZodType,
  options: Parameters<typeof z.toJSONSchema>[1],
  components: Json,
): Json {
  const json = z.toJSONSchema(schema, { ...options, unrepresentable: 'any' }) as Json;
  const { $schema: _, definitions = {}, ...own } = json;
  for (const [name, definition] of Object.entries(definitions as Record<string, Json>))
    components[name] ??= relocated(definition);
  return relocated(own);
}

/** References point into the document. */
const relocated = (json: Json): Json =>
  JSON.parse(JSON.stringify(json).replaceAll('"#/definitions/', '"#/components/schemas/')) as Json;
