import { z } from 'zod';

type Json = Record<string, unknown>;

/** Returns the JSON schema of a zod schema. Named records (`.meta({ id })`) are moved to the document's components. */
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

/** Changes references so that they point to the document's components. */
const relocated = (json: Json): Json =>
  JSON.parse(JSON.stringify(json).replaceAll('"#/definitions/', '"#/components/schemas/')) as Json;
