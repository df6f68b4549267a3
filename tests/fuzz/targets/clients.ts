import { readFileSync } from 'node:fs';
import { CLIENTS } from '../../../packages/cli/dist/clients/all.js';
import type { Client, ClientFile, Routing, ServerEntry } from '../../../packages/cli/dist/clients/client.js';
import { sourceOfOne, unrouteOne } from '../../../packages/cli/dist/clients/file/one-entry.js';
import { promise, type Target } from '../engine/target.js';

const CORPUS = new URL('../../../packages/cli/testing/corpus/', import.meta.url);
const SEEDS = [
  'claude/user/01-as-the-client-writes-it.json',
  'claude/user/09-escapes.json',
  'claude/user/12-remote-kinds.json',
  'claude/user/28-proto-keys.json',
  'cursor/user/02-comments.json',
  'gemini/user/02-remote-kinds.json',
  'vscode/user/05-comment-in-every-gap.json',
  'vscode/user/10-trailing-comma-in-headers.json',
];
const TOML =
  '[mcp_servers.a] # c\ncommand = "npx"\nargs = [\n  "-y", # d\n  \'b\',\n]\nenv = { K = "1" }\n[mcp_servers.b]\nurl = "https://h/mcp"\n';
const FILE: ClientFile = { path: '/f', scope: 'user' };
const HOW: Routing = {
  node: '/usr/bin/node',
  program: '/opt/sub.mjs',
  home: '/h',
  pass: () => [],
  http: { port: 7717, enrolToken: 'sube_0123456789' },
};

/**
 * Configurations of clients: no text makes reading throw; whatever is routed comes back byte for byte, is
 * known as routed, and is a text that the client takes where it took the one before.
 */
export const clientFiles: Target = {
  name: 'client-files',
  seeds: [...SEEDS.map((name) => readFileSync(new URL(name, CORPUS))), Buffer.from(TOML)],
  words: [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '//',
    '/*',
    '*/',
    '\n',
    '\r\n',
    '\ufeff',
    '"command"',
    '"args"',
    '"url"',
    '"type"',
    '"headers"',
    '"env"',
    '"mcpServers"',
    '"servers"',
    '"__proto__"',
    '"--"',
    '"shim"',
    '"stdio"',
    '"--server"',
    '"sub.mjs"',
    '"http"',
    'null',
    '\\u0022',
    "'",
    '"""',
    '[mcp_servers.x]',
    'args = ',
    '= ',
    '# ',
  ],
  maxBytes: 4096,
  run(input) {
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(input);
    } catch {
      return false;
    }
    return CLIENTS.map((client) => isTaken(client, text)).some(Boolean);
  },
};

function isTaken(client: Client, text: string): boolean {
  const reading = client.read(FILE, text);
  if (client.name === 'claude' && reading.problem === undefined && text.trim() !== '') {
    // Claude Code drops a file that JSON.parse does not take, but for its byte order mark.
    JSON.parse(text.replace(/^\ufeff/, ''));
  }
  const chosen = reading.entries.filter(isRoutable);
  if (chosen.length === 0) return false;
  const routed = client.route(text, chosen, HOW);
  const after = client.read(FILE, routed);
  promise(after.problem === undefined, 'a routed text is one that the client takes');
  promise(!after.entries.some(isRoutable), 'what is routed is not routed again');
  let back = routed;
  for (const { pointer } of chosen) {
    const original = sourceOfOne(client, text, pointer);
    const written = sourceOfOne(client, routed, pointer);
    promise(original !== undefined && written !== undefined, 'an entry stays where it is');
    const done = unrouteOne(client, back, pointer, { original, written });
    promise('text' in done && done.how === 'exact', 'what was just written is known');
    back = done.text;
  }
  promise(back === text, 'what is put back is the same text');
  return true;
}

function isRoutable({ kind, cannot, name }: ServerEntry): boolean {
  return (kind === 'stdio' || kind === 'http') && cannot === undefined && !/[$\p{Cc}\p{Cs}]/u.test(name);
}
