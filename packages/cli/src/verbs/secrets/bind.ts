import {
  canonicalize,
  headerKey,
  isHeaderBinding,
  listAt,
  SecretBinding,
  SublError,
  textAt,
} from '@subluminal/core-types';
import { assertHome } from '@subluminal/ipc';
import type { Command } from 'commander';
import { isAbsolute, join } from 'node:path';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { ensureGateway } from '../../gateway/start.js';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import { choice, required, string, strings, unless, type Values } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { closedHosts } from '../../secrets/closed-hosts.js';
import { readBindings, withBinding, writeBindings } from '../../secrets/bindings-file.js';
import { commandOf, installed, type Installed } from '../../secrets/installed.js';
import { boundPayload } from './bound-payload.js';
import { findProgram } from '../../files/find-program.js';

const SOURCES = ['store', 'keychain', 'file', 'env'] as const;

const FLAGS = {
  as: string('<variable>', 'the variable that the server reads'),
  header: string('<name>', 'of a remote server: the header that it reads, as `Authorization`'),
  url: string('<url>', 'of a remote server: its URL, as its client has it; the secret is sent there alone'),
  prefix: string('<text>', 'what stands before the secret in the header, as `Bearer `'),
  ref: required('<name>', 'a name in the store or keychain, an absolute path, or a variable'),
  source: choice('<where>', 'store, keychain, file or env (default: store)', SOURCES),
  redact: unless('leave the value where the server repeats it to its client; it never enters the record'),
  pass: strings('<variable>', 'a variable that the server may get of its client beside; may be repeated'),
  host: strings(
    '<host>',
    'the server gets a placeholder, and the secret is put in on connections to this host alone, as `api.example.com` or `api.example.com:8443`; may be repeated',
  ),
};

export const EXAMPLE = `
For example, of a server that \`sub import\` has routed:
  sub secrets add github_token
  sub secrets bind github --as GITHUB_TOKEN --ref github_token
The token that stands in the client's file stays there: take it out yourself.
The copy for \`sub restore\` keeps it, for you alone to read: a new one is safest.`;

type Given = Call<Values<typeof FLAGS>>;

/**
 * `sub secrets bind SERVER --as VARIABLE --ref NAME -- CMD…`, or `… --header NAME --url URL` for a remote
 * server.
 */
export function defineBind(group: Command, does: Does): void {
  does(
    subVerb(
      group,
      'bind',
      'give a server a secret, as a variable of its environment, or in a header of requests to it',
    )
      .usage(
        '<server> --ref <name> (--as <variable> [options] [-- <command> [arguments…]] | --header <name> --url <url> [options])',
      )
      .argument('<server>', 'the server’s name, as its client calls it')
      .argument(
        '[command...]',
        'the server’s command line, word by word as it stands behind `--` of `sub shim`; default: as your clients start it, if they are routed',
      )
      .addHelpText('after', EXAMPLE),
    FLAGS,
    async (call) => {
      await assertOutsideRun(call);
      assertHome(call.home);
      const file = readBindings(call.home);
      const [server = ''] = call.args;
      const found = call.flags.header === undefined ? installed(call, server) : [];
      const binding = bindingOf(call, found);
      assertNew(file.bindings, binding);
      const text = withBinding(file, binding);
      await ensureGateway(call, 'automatic');
      await askOperator(call.home, call.session.now, 'secrets.bound', boundPayload('bound', binding));
      writeBindings(file, text);
      if (call.output.json) call.output.value({ ...binding });
      else call.output.line(`\`${escapeText(binding.server_name)}\` gets ${whatOf(binding)}`);
      for (const { entry } of found)
        if (entry.envKeys.includes(binding.inject_as))
          call.output.note(
            `\`${binding.inject_as}\` still stands in \`${escapeText(entry.file.path)}\`, for every program to read: take it out there, and restart the client. \`${escapeText(join(call.home.home, 'imports'))}\` (0600) keeps the file as it was for \`sub restore\`: a new token is safest`,
          );
      if (await isMissing(call, binding))
        call.output.note(
          `there is no secret \`${binding.secret_ref}\` yet: \`sub secrets add ${binding.secret_ref}\``,
        );
      for (const place of await closedHosts(call.home, call.session.now, [binding]))
        call.output.note(`\`${place}\` is not on the allowlist: \`sub allow add ${place}\``);
      return EXIT.done;
    },
  );
}

function bindingOf(call: Given, found: readonly Installed[]): SecretBinding {
  const [server_name = '', ...written] = call.args;
  const header = call.flags.header;
  if ((header === undefined) === (call.flags.as === undefined))
    throw new SublError('usage', 'name either a variable or a header that the secret stands in', {
      help: '`--as VARIABLE … -- CMD…` for a server that is started, `--header NAME --url URL` for a remote one',
    });
  const command = written.length > 0 || header !== undefined ? written : commandOf(server_name, found);
  const checked = SecretBinding.safeParse({
    server_name,
    secret_ref: call.flags.ref,
    source: call.flags.source ?? 'store',
    redact: call.flags.redact,
    pass: call.flags.pass,
    ...given('url', call.flags.url),
    ...given('prefix', call.flags.prefix),
    ...given('hosts', call.flags.host),
    ...given('command', command),
    ...(header === undefined ? startedOf(call, command) : { inject: 'header', inject_as: header }),
  });
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const key = String(issue?.path[0]);
  const where = key === 'inject_as' && header !== undefined ? '--header' : (WRITTEN.get(key) ?? key);
  throw new SublError('usage', `\`${where}\` is wrong: ${issue?.message ?? 'it does not fit'}`, {
    help: 'see `sub help secrets bind`',
  });
}

function given(key: string, value: string | readonly string[] | undefined): Record<string, unknown> {
  return value === undefined || value.length === 0 ? {} : { [key]: value };
}

/** The fields that only the binding of a server that is started has. */
function startedOf(call: Given, [name]: readonly string[]): Record<string, unknown> {
  const looksUp = name !== undefined && !isAbsolute(name);
  return {
    inject_as: call.flags.as,
    ...(call.flags.host.length === 0 ? {} : { inject: 'egress' }),
    ...(looksUp ? { program: findProgram(name, call.session.environment.all['PATH'] ?? '') } : {}),
  };
}

/**
 * A variable of a server and command has one secret, and so has a header of a server and URL. Throws `usage`.
 */
function assertNew(bindings: readonly SecretBinding[], binding: SecretBinding): void {
  const { server_name, inject_as } = binding;
  const isSame = (one: SecretBinding): boolean => targetOf(one) === targetOf(binding);
  if (!bindings.some(isSame)) return;
  throw new SublError('usage', `\`${server_name}\` gets a secret as \`${inject_as}\` already`, {
    help: `\`sub secrets unbind ${server_name} --as ${inject_as}\`, then bind it anew`,
  });
}

function targetOf(binding: SecretBinding): string {
  const { server_name: server, inject_as: name } = binding;
  return isHeaderBinding(binding)
    ? canonicalize([server, headerKey(name), new URL(binding.url).href])
    : canonicalize([server, name, [...binding.command]]);
}

/** Whether the store has no such secret. It may be added later. */
async function isMissing(call: Call, { source, secret_ref }: SecretBinding): Promise<boolean> {
  if (source !== 'store') return false;
  const secrets = listAt(await askOperator(call.home, call.session.now, 'secrets.list'), 'secrets');
  return !secrets.some((secret) => textAt(secret, 'name') === secret_ref);
}

/** The variable or header, and when it gets it. */
function whatOf(binding: SecretBinding): string {
  const { inject_as: name } = binding;
  if (isHeaderBinding(binding)) return `the header \`${name}\` in requests to \`${escapeText(binding.url)}\``;
  const { hosts, command } = binding;
  const when = `when it is started by \`${escapeText(command.join(' '))}\``;
  if (hosts === undefined) return `\`${name}\` ${when}`;
  return `a placeholder as \`${name}\` (the secret is put in on the way to ${hosts.map((host) => `\`${host}\``).join(', ')}) ${when}`;
}

/** How each field of a binding is given. */
const WRITTEN: ReadonlyMap<string, string> = new Map([
  ['server_name', 'server'],
  ['inject_as', '--as'],
  ['secret_ref', '--ref'],
  ['pass', '--pass'],
  ['hosts', '--host'],
  ['url', '--url'],
  ['prefix', '--prefix'],
  ['program', 'command'],
  ['source', '--source'],
]);
