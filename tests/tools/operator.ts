import { isJsonObject, type JsonObject } from '@subluminal/core-types';
import { dataOf, type TestGateway } from '../gateway/harness.js';

/** What the operator asks of a test's gateway. */
export class Operator {
  readonly #world: TestGateway;

  constructor(world: TestGateway) {
    this.#world = world;
  }

  async ask(action: string, payload: JsonObject = {}): Promise<JsonObject> {
    const client = await this.#world.operator();
    return dataOf(await client.request(action, payload));
  }

  /** What is held, as `server/tool: kind`. */
  async held(): Promise<string[]> {
    const { tools } = await this.ask('tools.diff');
    return (tools as readonly JsonObject[]).map(
      (one) => `${text(one, 'server_name')}/${text(one, 'tool_name')}: ${kindOf(one)}`,
    );
  }

  /** One held tool with all that is said of it, as a person is shown it. */
  async difference(server: string, tool: string): Promise<JsonObject> {
    const { tools } = await this.ask('tools.diff', { server_name: server, tool_name: tool, shown: true });
    const [found] = tools as readonly JsonObject[];
    if (found === undefined) throw new Error(`${tool} is not held`);
    return found;
  }

  /** Approves what is held of a tool now. */
  async approve(server: string, tool: string): Promise<JsonObject> {
    const { hash } = await this.difference(server, tool);
    return this.ask('tools.approve', {
      server_name: server,
      tools: [{ tool_name: tool, hash: hash as string }],
    });
  }
}

function text(value: JsonObject, key: string): string {
  return value[key] as string;
}

function kindOf(value: JsonObject): string {
  const { reason } = value;
  return reason !== undefined && isJsonObject(reason) ? (reason['kind'] as string) : '';
}
