import { SublError } from '@subluminal/core-types';
import { assertHome, readWorldTicket } from '@subluminal/ipc';
import { runShim } from '@subluminal/shim';
import type { Command } from 'commander';
import { readSettings, readWorld, type WorldSettings } from '../../home/settings.js';
import { escapeText } from '../../output/escape.js';
import { flag, required, strings } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';

const FLAGS = {
  server: required('<name>', 'the server’s name, as policies and the record call it'),
  pass: strings(
    '<variable>',
    'a variable of the client that the server gets as well; may be repeated; `*`: all',
  ),
  world: flag('run the server in a world: every connection of it is the gateway’s (Linux)'),
  read: strings('<path>', 'with `--world`: a file or folder that it may read; may be repeated'),
  write: strings('<path>', 'with `--world`: one that it may write as well; may be repeated'),
};

/**
 * `sub shim stdio`: what a client's config names in place of an MCP server. stdout belongs to the protocol.
 */
export function define(group: Command, does: Does): void {
  does(
    subVerb(group, 'stdio', 'one MCP server over stdio', '~/.subluminal')
      .usage('--server <name> [--home <folder>] [--pass <variable>]… -- <command> [arguments…]')
      .argument('<command...>', 'the MCP server, with its arguments')
      .passThroughOptions(),
    FLAGS,
    async (call) => {
      const [program, ...args] = call.args;
      if (program === undefined) throw new SublError('usage', 'the command of the server is missing');
      const home = call.homeIgnoringEnvironment;
      assertHome(home);
      const { autostart } = readSettings(home);
      const elsewhere = outsideOf(home.home, call.session.environment.all);
      if (elsewhere !== undefined) call.output.note(`sub shim: ${escapeText(elsewhere)}`);
      const code = await runShim({
        paths: home,
        serverName: call.flags.server,
        command: [program, ...args],
        gatewayEntry: autostart ? call.session.gatewayProgram : undefined,
        env: call.session.environment.all,
        pass: call.flags.pass,
        // Inside of a world the server is in one already.
        ...(readWorldTicket() === undefined ? worldOf(readWorld(home, call.flags.server), call.flags) : {}),
        stdin: process.stdin,
        stdout: process.stdout,
        log: (line) => call.output.note(`sub shim: ${escapeText(line)}`),
      });
      // A client that keeps its end of our input open must not keep this process.
      return process.exit(code);
    },
  );
}

/** The world that the operator's settings name, else that of the flags: a client's file takes none away. */
function worldOf(
  settings: WorldSettings | undefined,
  { world, read, write }: WorldSettings & { readonly world: boolean },
): { readonly world?: WorldSettings } {
  const own = settings ?? (world ? { read, write } : undefined);
  return own === undefined ? {} : { world: own };
}

/**
 * The remark of a shim that `sub run` started, by way of its client, with another home than its own: its
 * calls are none of that run. The environment decides nothing.
 */
function outsideOf(home: string, { SUB_RUN_ID, SUB_HOME }: NodeJS.ProcessEnv): string | undefined {
  if (SUB_RUN_ID === undefined || SUB_HOME === undefined || SUB_HOME === home) return undefined;
  return `this server is behind the gateway of \`${home}\`, and the run that it was started in is of \`${SUB_HOME}\`: \`--home\` says which one`;
}
