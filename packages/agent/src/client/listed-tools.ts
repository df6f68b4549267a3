import { canonicalize, isJsonObject, isSublError, type JsonValue, sha256Hex } from '@subluminal/core-types';
import { isAway } from './away.js';
import type { ListedPage, ListVerdict } from './contract.js';
import type { GatewaySession } from './gateway-session.js';
import { programOf } from './program.js';

export interface ListedToolsOptions {
  readonly session: GatewaySession;
  readonly shimId: string;
  readonly serverName: string;
  /** The MCP server: program and arguments. */
  readonly command: readonly string[];
}

/** Asks the gateway what of a server's list of tools the client may see. No answer is no list. */
export class ListedTools {
  readonly #session: GatewaySession;
  readonly #about: Readonly<Record<string, string>>;

  constructor({ session, shimId, serverName, command }: ListedToolsOptions) {
    this.#session = session;
    const program = programOf(command);
    this.#about = {
      shim_id: shimId,
      server_name: serverName,
      argv_hash: hashOf(command),
      ...(program === undefined ? {} : { program_hash: hashOf(program) }),
    };
  }

  async judge(page: ListedPage): Promise<ListVerdict> {
    try {
      const answer = await this.#session.request('tools.listed', { ...this.#about, ...page }, true);
      if (answer.status === 'success') return verdictOf(answer.data, page.tools.length);
      return { refused: answer.error?.message ?? 'the gateway did not check the list of tools' };
    } catch (error) {
      if (!isSublError(error)) throw error;
      return { refused: isAway(error) ? 'no gateway checked the list of tools' : error.message };
    }
  }
}

/** An answer that is not understood lets nothing through. */
function verdictOf(data: JsonValue | undefined, count: number): ListVerdict {
  if (isJsonObject(data)) {
    const { leave_out: places, refuse } = data;
    if (typeof refuse === 'string') return { refused: refuse };
    if (Array.isArray(places) && places.every((place) => isPlace(place, count))) {
      return { leaveOut: new Set(places as readonly number[]) };
    }
  }
  return { refused: 'the gateway did not say what of the list of tools may be seen' };
}

function isPlace(place: JsonValue, count: number): boolean {
  return typeof place === 'number' && Number.isInteger(place) && place >= 0 && place < count;
}

function hashOf(words: readonly string[]): string {
  return sha256Hex(canonicalize([...words]));
}
