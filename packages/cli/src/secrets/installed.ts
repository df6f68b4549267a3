import { SublError } from '@subluminal/core-types';
import { CLIENTS } from '../clients/all.js';
import type { ServerEntry } from '../clients/client.js';
import { machineOf } from '../clients/command/operands.js';
import { readOurs } from '../clients/ours.js';
import { escapeText } from '../output/escape.js';
import { whyOf } from '../output/system-error.js';
import type { Call } from '../program/call.js';

/** A routed server of the user's clients, by the command line that it starts with. */
export interface Installed {
  readonly entry: ServerEntry;
  readonly command: readonly string[];
}

/** The routed servers of that name. A project's files are not asked: they are other people's word. */
export function installed(call: Call, server: string): readonly Installed[] {
  const where = machineOf(call);
  return CLIENTS.flatMap((client) =>
    client.files(where).flatMap((file) => {
      if (file.scope === 'project') return [];
      try {
        const text = where.readText(file.path);
        return text === undefined ? [] : client.read(file, text).entries;
      } catch (error) {
        call.output.note(`\`${escapeText(file.path)}\` cannot be read: ${whyOf(error)}`);
        return [];
      }
    }),
  ).flatMap((entry) => {
    const { command = '', args = [] } = entry;
    const ours = readOurs(command, args);
    return ours?.server === server && ours.home === call.home.home
      ? [{ entry, command: args.slice(ours.commandAt) }]
      : [];
  });
}

/** The one command line of them. Throws `usage` where there is none, or another one in another client. */
export function commandOf(server: string, found: readonly Installed[]): readonly string[] {
  const lines = new Map(found.map(({ command }) => [JSON.stringify(command), command]));
  const [only] = lines.values();
  if (only !== undefined && lines.size === 1) return only;
  const what =
    only === undefined
      ? `no client of yours starts a routed server \`${server}\``
      : `\`${server}\` is started by ${lines.size} command lines`;
  throw new SublError('usage', `${what}: which command line is meant?`, {
    help: 'write it behind `--`, word by word as it stands behind the `--` of `sub shim` in the client’s file',
  });
}
