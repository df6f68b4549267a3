import * as z from 'zod';
import { Label } from './json.js';
import { headerKey, SecretHeader, SecretPrefix, SecretUrl } from '../secrets/header.js';
import { SecretVariable, VariableName } from '../secrets/variable.js';

/** Where a secret comes from. */
export const SecretSource = z.enum(['env', 'file', 'keychain', 'store']);
export type SecretSource = z.infer<typeof SecretSource>;

/** The name of a secret in the store or in the keychain. */
export const SecretName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'a name has letters, digits, `_`, `.` and `-`, 64 at most');

const AbsolutePath = z
  .string()
  .max(4096)
  .regex(/^(?:\/|[A-Za-z]:[\\/])[^\0]*$/, 'write an absolute path');

/**
 * The program of a command: a name that is looked up, or an absolute path. Anything else depends on a folder.
 */
const Program = z
  .string()
  .min(1)
  .max(4096)
  .refine(
    (text) => !text.includes('\0') && (!/[\\/]/.test(text) || AbsolutePath.safeParse(text).success),
    'write a name or an absolute path: a relative one depends on the working folder',
  );
const Word = z
  .string()
  .max(16_384)
  .refine((text) => !text.includes('\0'), 'no argument holds a NUL');

/**
 * How a secret reaches its server: as a variable; not at all, but as a placeholder that the gateway's proxy
 * replaces; or in a header of the gateway's requests to a remote MCP server.
 */
export const SecretInject = z.enum(['env', 'egress', 'header']);
export type SecretInject = z.infer<typeof SecretInject>;

const HOST_PORT = /^([a-z0-9_.-]{1,253})(?::([1-9][0-9]{0,4}))?$/;
const HOST_LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * A place that a secret may be sent to: one exact name, lower case and in punycode, and a port, 443 where
 * none is named.
 */
export const SecretHost = z
  .string()
  .max(260)
  .refine(
    isHostPort,
    'write one exact name, as `api.example.com` or `api.example.com:8443`: lower case, no address, no `*`',
  );

function isHostPort(text: string): boolean {
  const [, host = '', port = '443'] = HOST_PORT.exec(text) ?? [];
  const labels = host.split('.');
  const isName = labels.every((label) => HOST_LABEL.test(label)) && !/^[0-9]+$/.test(labels.at(-1) ?? '');
  return isName && Number(port) <= 65_535;
}

/** The name and port of a `SecretHost`. */
export function secretPlaceOf(text: string): { readonly host: string; readonly port: number } {
  const [host = '', port = '443'] = text.split(':');
  return { host, port: Number(port) };
}

const REFERENCE = { env: VariableName, file: AbsolutePath, keychain: SecretName, store: SecretName } as const;

/** The members of every binding. */
interface Bound {
  readonly server_name: string;
  readonly inject_as: string;
  /** `env`: the name of a variable; `file`: an absolute path; `keychain`, `store`: a name. */
  readonly secret_ref: string;
  readonly source: SecretSource;
  /** Taken out of what the server says to its client. It never enters the record, either way. */
  readonly redact: boolean;
}

/** A secret that one server gets in its environment, if it is started by exactly that command. */
export interface CommandBinding extends Bound {
  /** `egress`: the server gets a placeholder, and the secret is put in on the way to `hosts` alone. */
  readonly inject: 'env' | 'egress';
  /** Where a secret of `egress` may be sent to. */
  readonly hosts?: readonly string[] | undefined;
  /** Program and arguments as they stand behind `--`. */
  readonly command: readonly [string, ...string[]];
  /**
   * The program that is started where `command` only has its name. The default is looked up in the system's
   * folders.
   */
  readonly program?: string | undefined;
  /** Variables that the server gets of its client's environment. The client's owner sets their values. */
  readonly pass: readonly string[];
}

/** A secret in the header `inject_as` of the gateway's requests to exactly that URL of a remote server. */
export interface HeaderBinding extends Bound {
  readonly inject: 'header';
  readonly url: string;
  /** The text before the secret in the header. */
  readonly prefix?: string | undefined;
}

/** Tells a secret of a remote server from one of a program. */
export function isHeaderBinding(binding: SecretBinding): binding is HeaderBinding {
  return binding.inject === 'header';
}

const Fields = z.strictObject({
  server_name: Label,
  inject_as: z.string().min(1).max(128),
  secret_ref: z.string().min(1).max(4096),
  source: SecretSource,
  inject: SecretInject.default('env'),
  hosts: z.array(SecretHost).min(1).max(16).optional(),
  redact: z.boolean().default(true),
  command: z
    .tuple([Program], Word)
    .refine((words) => words.length <= 256, 'at most 256 words')
    .optional(),
  program: AbsolutePath.optional(),
  pass: z.array(VariableName).max(64).default([]),
  url: SecretUrl.optional(),
  prefix: SecretPrefix.optional(),
});
type Fields = z.infer<typeof Fields>;

/** One secret of one server. */
export const SecretBinding = Fields.superRefine((binding, context) => {
  const { inject, inject_as: name, source, secret_ref: reference } = binding;
  const misfit = misfitOf(binding);
  if (misfit !== undefined) context.addIssue({ code: 'custom', ...misfit });
  for (const [path, schema, text] of [
    ['inject_as', inject === 'header' ? SecretHeader : SecretVariable, name],
    ['secret_ref', REFERENCE[source], reference],
  ] as const) {
    const checked = schema.safeParse(text);
    const message = checked.success ? undefined : checked.error.issues[0]?.message;
    if (message !== undefined) context.addIssue({ code: 'custom', path: [path], message });
  }
}).transform(toldApart);
export type SecretBinding = CommandBinding | HeaderBinding;

function toldApart({ inject, command, url, prefix, hosts, program, pass, ...bound }: Fields): SecretBinding {
  if (inject === 'header' && url !== undefined)
    return { ...bound, inject, url, ...(prefix === undefined ? {} : { prefix }) };
  if (inject === 'header' || command === undefined) throw new Error('a binding that misfits was let through');
  return {
    ...bound,
    inject,
    command,
    pass,
    ...(hosts === undefined ? {} : { hosts }),
    ...(program === undefined ? {} : { program }),
  };
}

interface Misfit {
  readonly path: string[];
  readonly message: string;
}

function misfitOf(binding: Fields): Misfit | undefined {
  const { inject, source, command, url, prefix, hosts } = binding;
  if (inject === 'header') return headerMisfitOf(binding);
  if (command === undefined)
    return { path: ['command'], message: 'write the command line that the server is started by' };
  if (url !== undefined || prefix !== undefined)
    return {
      path: [url === undefined ? 'prefix' : 'url'],
      message: 'a secret of a remote server stands in a header: write `inject = "header"`',
    };
  if (inject === 'env')
    return hosts === undefined
      ? undefined
      : {
          path: ['hosts'],
          message:
            'a secret that is a variable goes where its server sends it: leave `hosts` out, or write `inject = "egress"`',
        };
  if (hosts === undefined)
    return { path: ['hosts'], message: 'name the hosts that the secret may be sent to' };
  return readByGateway(inject, source);
}

function headerMisfitOf({ source, url, hosts, command, program, pass }: Fields): Misfit | undefined {
  if (url === undefined)
    return { path: ['url'], message: 'write the URL of the server, as its client has it' };
  const [other] = Object.entries({
    hosts,
    command,
    program,
    pass: pass.length === 0 ? undefined : pass,
  }).filter(([, value]) => value !== undefined);
  if (other !== undefined)
    return {
      path: [other[0]],
      message: 'a remote server is not started: `inject = "header"` has a `url` instead',
    };
  return readByGateway('header', source);
}

function readByGateway(inject: string, source: SecretSource): Misfit | undefined {
  if (source !== 'env' && source !== 'keychain') return undefined;
  return {
    path: ['source'],
    message: `with \`inject = "${inject}"\` the gateway itself reads the secret: from the \`store\` or a \`file\``,
  };
}

/** All bindings of a home: one secret a variable of a server and command, or a header of a server and URL. */
export const SecretBindings = z
  .array(SecretBinding)
  .max(256)
  .superRefine((bindings, context) => {
    const names = new Set<string>();
    const programs = new Map<string, string | undefined>();
    for (const [index, binding] of bindings.entries()) {
      const { server_name, inject_as } = binding;
      if (isHeaderBinding(binding)) {
        const name = JSON.stringify([server_name, new URL(binding.url).href, headerKey(inject_as)]);
        if (names.has(name)) {
          const message = 'this header of this server and URL is bound above already';
          context.addIssue({ code: 'custom', path: [index, 'inject_as'], message });
        }
        names.add(name);
        continue;
      }
      const { command, program } = binding;
      const target = JSON.stringify([server_name, command]);
      const name = `${target} ${inject_as}`;
      if (names.has(name)) {
        const message = 'this variable of this server and command is bound above already';
        context.addIssue({ code: 'custom', path: [index, 'inject_as'], message });
      }
      names.add(name);
      if (programs.has(target) && programs.get(target) !== program) {
        const message = 'another binding of this server and command names another program';
        context.addIssue({ code: 'custom', path: [index, 'program'], message });
      }
      programs.set(target, program);
    }
  });
