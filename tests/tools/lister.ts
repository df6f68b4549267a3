import { isJsonObject, type ActionResponse, type JsonObject, sha256Hex } from '@subluminal/core-types';
import type { GatewayClient } from '@subluminal/ipc';

/** A tool as a server describes it. */
export function tool(name: string, more: JsonObject = {}): JsonObject {
  return {
    name,
    description: `does what ${name} does`,
    inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    ...more,
  };
}

/** Where a page stands in its list. */
export interface PageOptions {
  readonly cursor?: string;
  readonly next?: string;
  readonly epoch?: number;
}

/** Shows lists of tools to the gateway, as the shim of one server does. */
export class Lister {
  readonly #client: GatewayClient;
  readonly #about: JsonObject;

  constructor(
    client: GatewayClient,
    server: string,
    options: { argv?: string; program?: string; shim?: string; abilities?: string } = {},
  ) {
    const { argv = server, program, abilities, shim = `shim-${server}` } = options;
    this.#client = client;
    this.#about = {
      shim_id: shim,
      server_name: server,
      argv_hash: sha256Hex(argv),
      ...(abilities === undefined ? {} : { client_hash: sha256Hex(abilities) }),
      ...(program === undefined ? {} : { program_hash: sha256Hex(program) }),
    };
  }

  /** Shows a page, and gives the answer. */
  show(tools: readonly unknown[], { cursor, next, epoch = 0 }: PageOptions = {}): Promise<ActionResponse> {
    return this.#client.request('tools.listed', {
      ...this.#about,
      epoch,
      ...(cursor === undefined ? {} : { cursor: sha256Hex(cursor) }),
      ...(next === undefined ? {} : { next: sha256Hex(next) }),
      tools,
    });
  }

  /** Shows a page, and gives the names of the tools that the client may see. */
  async seen(tools: readonly JsonObject[], page: PageOptions = {}): Promise<string[]> {
    const answer = await this.show(tools, page);
    const { data } = answer;
    if (answer.status !== 'success' || data === undefined || !isJsonObject(data)) {
      throw new Error(`the list was refused: ${JSON.stringify(answer.error)}`);
    }
    if (data['refuse'] !== undefined)
      throw new Error(`the list was refused: ${JSON.stringify(data['refuse'])}`);
    const out = data['leave_out'] as readonly number[];
    return tools.flatMap((one, at) => (out.includes(at) ? [] : [one['name'] as string]));
  }
}
