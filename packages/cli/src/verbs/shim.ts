import { SublError } from '@subluminal/core-types';
import { assertHome } from '@subluminal/ipc';
import { runShim } from '@subluminal/shim';
import type { Command } from 'commander';
import { readSettings } from '../config/settings.js';
import { escapeText } from '../output/escape.js';
import { collect } from '../program/collect.js';
import { subVerb, type Does } from '../program/verb.js';

/** `sub shim stdio`: what a client's config names in place of an MCP server. stdout belongs to the protocol. */
export function define(group: Command, does: Does): void {
  subVerb(group, 'stdio', 'one MCP server over stdio', '~/.subluminal')
    .usage('--server <name> [--home <folder>] [--pass <variable>]… -- <command> [arguments…]')
    .requiredOption('--server <name>', 'the server’s name, as policies and the record call it')
    .option(
      '--pass <variable>',
      'a variable of the client that the server gets as well; may be repeated; `*`: all',
      collect,
    )
    .argument('<command...>', 'the MCP server, with its arguments')
    .passThroughOptions()
    .action(
      does(async (call) => {
        const [program, ...args] = call.args;
        if (program === undefined) throw new SublError('usage', 'the command of the server is missing');
        const home = call.homeIgnoringEnvironment;
        assertHome(home);
        const { autostart } = readSettings(home);
        const code = await runShim({
          paths: home,
          serverName: call.text('server') ?? '',
          command: [program, ...args],
          gatewayEntry: autostart ? call.session.gatewayProgram : undefined,
          env: call.session.environment.all,
          pass: call.texts('pass'),
          stdin: process.stdin,
          stdout: process.stdout,
          log: (line) => call.output.note(`sub shim: ${escapeText(line)}`),
        });
        // A client that keeps its end of our input open must not keep this process.
        return process.exit(code);
      }),
    );
}
