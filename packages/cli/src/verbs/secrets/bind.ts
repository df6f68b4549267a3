import { canonicalize, type JsonObject, SecretBinding, sha256Hex, SublError } from '@subluminal/core-types';
import { assertHome } from '@subluminal/ipc';
import type { Command } from 'commander';
import { isAbsolute } from 'node:path';
import { EXIT } from '../../exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { ensureGateway } from '../../gateway/start.js';
import { escapeText } from '../../output/escape.js';
import { listAt, textAt } from '../../output/fields.js';
import type { Call } from '../../program/call.js';
import { collect } from '../../program/collect.js';
import { subVerb, type Does } from '../../program/verb.js';
import { closedHosts } from '../../secrets/closed-hosts.js';
import { readBindings, withBinding, writeBindings } from '../../secrets/bindings-file.js';
import { findProgram } from '../../secrets/find-program.js';

/** `sub secrets bind SERVER --as VARIABLE --ref NAME -- CMD…`. */
export function defineBind(group: Command, does: Does): void {
  subVerb(group, 'bind', 'give a server a secret, as a variable of its environment')
    .usage('<server> --as <variable> --ref <name> [options] -- <command> [arguments…]')
    .requiredOption('--as <variable>', 'the variable that the server reads')
    .requiredOption('--ref <name>', 'a name in the store or keychain, an absolute path, or a variable')
    .option('--source <where>', 'store, keychain, file or env (default: store)')
    .option(
      '--no-redact',
      'leave the value where the server repeats it to its client; it never enters the record',
    )
    .option(
      '--pass <variable>',
      'a variable that the server may get of its client beside; may be repeated',
      collect,
    )
    .option(
      '--host <host>',
      'the server gets a placeholder, and the secret is put in on connections to this host alone, as `api.example.com` or `api.example.com:8443`; may be repeated',
      collect,
    )
    .argument('<server>', 'the server’s name, as its client calls it')
    .argument(
      '<command...>',
      'the server’s command line, word by word as it stands behind `--` of `sub shim`',
    )
    .action(
      does(async (call) => {
        await assertOutsideRun(call);
        assertHome(call.home);
        const file = readBindings(call.home);
        const binding = bindingOf(call);
        assertNew(file.bindings, binding);
        const text = withBinding(file, binding);
        await ensureGateway(call, 'automatic');
        await askOperator(call.home, call.session.now, 'secrets.bound', boundPayload('bound', binding));
        writeBindings(file, text);
        if (call.output.json) call.output.value({ ...binding, command: [...binding.command] });
        else
          call.output.line(
            `\`${escapeText(binding.server_name)}\` gets ${whatOf(binding)} when it is started by \`${escapeText(binding.command.join(' '))}\``,
          );
        if (await isMissing(call, binding))
          call.output.note(
            `there is no secret \`${binding.secret_ref}\` yet: \`sub secrets add ${binding.secret_ref}\``,
          );
        for (const place of await closedHosts(call.home, call.session.now, [binding]))
          call.output.note(`\`${place}\` is not on the allowlist: \`sub allow add ${place}\``);
        return EXIT.done;
      }),
    );
}

function bindingOf(call: Call): SecretBinding {
  const [server_name = '', ...command] = call.args;
  const [name = ''] = command;
  const hosts = call.texts('host');
  const checked = SecretBinding.safeParse({
    server_name,
    inject_as: call.text('as'),
    secret_ref: call.text('ref'),
    source: call.choice('source', ['store', 'keychain', 'file', 'env']) ?? 'store',
    ...(hosts.length === 0 ? {} : { inject: 'egress', hosts: [...hosts] }),
    redact: !call.isSwitchedOff('redact'),
    command,
    ...(isAbsolute(name) ? {} : { program: findProgram(name, call.session.environment.all['PATH'] ?? '') }),
    pass: call.texts('pass'),
  });
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const where = FLAGS.get(String(issue?.path[0])) ?? String(issue?.path[0]);
  throw new SublError('usage', `\`${where}\` is wrong: ${issue?.message ?? 'it does not fit'}`, {
    help: 'see `sub help secrets bind`',
  });
}

/** One variable of a server and command has one secret. Throws `usage`. */
function assertNew(
  bindings: readonly SecretBinding[],
  { server_name, inject_as, command }: SecretBinding,
): void {
  const isSame = (one: SecretBinding): boolean =>
    one.server_name === server_name &&
    one.inject_as === inject_as &&
    canonicalize([...one.command]) === canonicalize([...command]);
  if (!bindings.some(isSame)) return;
  throw new SublError('usage', `\`${server_name}\` gets a secret as \`${inject_as}\` already`, {
    help: `\`sub secrets unbind ${server_name} --as ${inject_as}\`, then bind it anew`,
  });
}

/** Whether the store has no such secret. It may be added later. */
async function isMissing(call: Call, { source, secret_ref }: SecretBinding): Promise<boolean> {
  if (source !== 'store') return false;
  const secrets = listAt(await askOperator(call.home, call.session.now, 'secrets.list'), 'secrets');
  return !secrets.some((secret) => textAt(secret, 'name') === secret_ref);
}

/** The variable, and where its secret is put in. */
function whatOf({ inject_as: variable, hosts }: SecretBinding): string {
  if (hosts === undefined) return `\`${variable}\``;
  return `a placeholder as \`${variable}\` (the secret is put in on the way to ${hosts.map((host) => `\`${host}\``).join(', ')})`;
}

const FLAGS: ReadonlyMap<string, string> = new Map([
  ['server_name', 'server'],
  ['inject_as', '--as'],
  ['secret_ref', '--ref'],
  ['pass', '--pass'],
  ['hosts', '--host'],
  ['source', '--source'],
]);

/** What the record learns of a binding. */
export function boundPayload(change: 'bound' | 'unbound', binding: SecretBinding): JsonObject {
  const { server_name, inject_as, secret_ref, source, redact, command, inject, hosts = [] } = binding;
  const argv_hash = sha256Hex(canonicalize([...command]));
  const where = inject === 'egress' ? { inject, hosts: [...hosts] } : {};
  return { change, server_name, inject_as, secret_ref, source, redact, ...where, argv_hash };
}
