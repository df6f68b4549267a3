import { isJsonObject, isSublError, parseJson, SublError, type JsonObject } from '@subluminal/core-types';
import { claude } from '@subluminal/hooks';
import type { Command } from 'commander';
import { readSettings } from '../../home/settings.js';
import { openAgentHooks } from '../../hooks/agent-session.js';
import type { Call } from '../../program/call.js';
import { EXIT } from '../../program/exit/codes.js';
import { subVerb, type Does } from '../../program/verb.js';

/** An event is read up to this size, in bytes. */
const MAX_EVENT = 1_048_576;
const FLUSH_MS = 1000;

/** `sub hooks begin claude`: what Claude Code starts when a session begins. stdout belongs to the client. */
export function defineBegin(group: Command, does: Does): void {
  does(
    subVerb(group, 'begin', 'what Claude Code runs when a session begins', '~/.subluminal').argument(
      '<client>',
      'claude',
    ),
    {},
    async (call) => {
      process.stdout.write(`${JSON.stringify(await begun(call))}\n`);
      return EXIT.done;
    },
  );
}

/** The answer to the client: a remark where nothing is guarded, and never an error that would stop it. */
async function begun(call: Call): Promise<JsonObject> {
  try {
    if (call.operand(0, 'client') !== 'claude')
      throw new SublError('usage', 'only Claude Code begins its sessions by a program');
    const home = call.homeIgnoringEnvironment;
    const { autostart } = readSettings(home);
    const event = parseJson(await read(process.stdin));
    const agent = await openAgentHooks({
      home,
      gatewayEntry: autostart ? call.session.gatewayProgram : undefined,
      env: call.session.environment.all,
      blockedWhenAway: [],
      dialect: claude,
      log: (line) => call.output.note(line),
    });
    try {
      if (isJsonObject(event)) await agent.hooks.told(event);
      await agent.core.flush(FLUSH_MS);
    } finally {
      agent.session.close();
    }
    return {};
  } catch (error) {
    if (!isSublError(error)) throw error;
    const help = error.help === undefined ? '' : ` (${error.help})`;
    return { systemMessage: `subluminal does not see this session: ${error.message}${help}` };
  }
}

async function read(input: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_EVENT) throw new SublError('invalid_request', 'the event is too large');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
