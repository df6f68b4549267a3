import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { assertOutsideRun } from '../gateway/outside-run.js';
import { required, requiredStrings, string } from '../program/flags.js';
import type { Does } from '../program/verb.js';
import { runChild } from '../run/child.js';
import { exitCodeOfChild } from '../run/outcome.js';

const FLAGS = {
  state: required('<folder>', 'where it keeps its key and what it cosigned; made where missing'),
  listen: string('<address:port>', 'an address of this machine (default: 127.0.0.1 and a free port)'),
  name: string('<name>', 'the name of its key, such as witness.example.com/w1'),
  log: requiredStrings('<vkey>', 'the verifier key of a log that it watches; may be repeated'),
};

/** `sub witness`: a C2SP witness as a process of its own, best on another machine, until it is stopped. */
export function define(command: Command, does: Does): void {
  does(command, FLAGS, async (call) => {
    await assertOutsideRun(call);
    const state = call.flags.state;
    const name = call.flags.name;
    const end = await runChild({
      command: process.execPath,
      args: [
        join(dirname(call.session.gatewayProgram), 'witness.js'),
        '--state',
        resolve(state),
        '--listen',
        call.flags.listen ?? '127.0.0.1:0',
        ...(name === undefined ? [] : ['--name', name]),
        ...call.flags.log.flatMap((log) => ['--log', log]),
      ],
      env: call.session.environment.forGateway,
      onTerminal: process.stdin.isTTY,
    });
    return exitCodeOfChild(end);
  });
}
