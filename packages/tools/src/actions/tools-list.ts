import type { JsonObject } from '@subluminal/core-types';
import { type ActionOf, read } from '@subluminal/gateway';
import type { KnownServer, ToolBook } from '../book/book.js';
import { heldData, knownServer } from './known-server.js';
import type { PinModes } from '../pin-modes.js';

/** `tools.list`: the servers whose tools are known; of one server its tools, too. */
export function toolsList(book: ToolBook, modes: PinModes): ActionOf<'tools.list'> {
  return read(({ server_name: name }) => {
    const servers = name === undefined ? book.servers() : [knownServer(book, name)];
    return { pin: modes.pin, servers: servers.map((one) => serverData(one, modes, name !== undefined)) };
  });
}

function serverData({ row, pins, held }: KnownServer, modes: PinModes, withTools: boolean): JsonObject {
  return {
    server_name: row.server,
    pin: modes.of(row.server),
    pinned_at: row.pinned_ms === null ? null : new Date(row.pinned_ms).toISOString(),
    pinned: pins.size,
    missing: [...pins.values()].filter(({ missing }) => missing).length,
    held: [...held].map(([tool, one]) => heldData(tool, one)),
    ...(withTools
      ? {
          tools: [...pins].map(([tool, { hash, missing, raised }]) => ({
            tool_name: tool,
            hash,
            state: held.has(tool) ? 'held' : missing ? 'missing' : 'pinned',
            raised: [...raised],
          })),
        }
      : {}),
  };
}
