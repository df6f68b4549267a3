import { isJsonObject, type JsonValue } from '@subluminal/core-types';

/**
 * Tools of one server whose declarations are remembered, declarations of one tool, and how deep they may
 * stand.
 */
const MAX_TOOLS = 4096;
const MAX_PARAMS = 64;
const MAX_DEPTH = 8;

/**
 * Which argument each `Mcp-Param-*` header of a tool says again, as the server's own list of tools declares
 * it (`x-mcp-header`).
 */
export class DeclaredParams {
  readonly #tools = new Map<string, ReadonlyMap<string, readonly string[]>>();

  /** Takes what a page of a list declares. */
  learn(tools: readonly JsonValue[]): void {
    for (const tool of tools) {
      if (tool === null || !isJsonObject(tool)) continue;
      const { name, inputSchema } = tool;
      if (typeof name !== 'string') continue;
      const found = new Map<string, readonly string[]>();
      collect(inputSchema, [], found);
      if (found.size === 0) this.#tools.delete(name);
      else if (this.#tools.size < MAX_TOOLS || this.#tools.has(name)) this.#tools.set(name, found);
    }
  }

  /**
   * Where the argument stands that a header says again; undefined where nothing is declared. `header` is in
   * lower case.
   */
  pathOf(tool: string, header: string): readonly string[] | undefined {
    return this.#tools.get(tool)?.get(header);
  }
}

function collect(
  schema: JsonValue | undefined,
  path: readonly string[],
  found: Map<string, readonly string[]>,
): void {
  if (schema === undefined || schema === null || !isJsonObject(schema) || path.length > MAX_DEPTH) return;
  const header = Object.hasOwn(schema, 'x-mcp-header') ? schema['x-mcp-header'] : undefined;
  if (typeof header === 'string' && path.length > 0 && found.size < MAX_PARAMS)
    found.set(header.toLowerCase(), path);
  const properties = Object.hasOwn(schema, 'properties') ? schema['properties'] : undefined;
  if (properties === undefined || properties === null || !isJsonObject(properties)) return;
  for (const [key, part] of Object.entries(properties).slice(0, MAX_PARAMS))
    collect(part, [...path, key], found);
}
