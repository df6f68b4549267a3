import { dirname, join, resolve } from 'node:path';
import { SublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import { assertOutsideRun } from '../gateway/outside-run.js';
import { collect } from '../program/collect.js';
import type { Does } from '../program/verb.js';
import { runChild } from '../run/child.js';
import { exitCodeOfChild } from '../run/outcome.js';

/** `sub witness`: a C2SP witness as a process of its own, best on another machine, until it is stopped. */
export function define(command: Command, does: Does): void {
  command
    .requiredOption('--state <folder>', 'where it keeps its key and what it cosigned; made where missing')
    .option('--listen <address:port>', 'an address of this machine (default: 127.0.0.1 and a free port)')
    .option('--name <name>', 'the name of its key, such as witness.example.com/w1')
    .requiredOption('--log <vkey>', 'the verifier key of a log that it watches; may be repeated', collect)
    .action(
      does(async (call) => {
        await assertOutsideRun(call);
        const state = call.text('state');
        if (state === undefined) throw new SublError('usage', '`--state` is missing');
        const name = call.text('name');
        const end = await runChild({
          command: process.execPath,
          args: [
            join(dirname(call.session.gatewayProgram), 'witness.js'),
            '--state',
            resolve(state),
            '--listen',
            call.text('listen') ?? '127.0.0.1:0',
            ...(name === undefined ? [] : ['--name', name]),
            ...call.texts('log').flatMap((log) => ['--log', log]),
          ],
          env: call.session.environment.forGateway,
          onTerminal: process.stdin.isTTY,
        });
        return exitCodeOfChild(end);
      }),
    );
}
