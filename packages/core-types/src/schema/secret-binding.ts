import * as z from 'zod';
import { Label } from './json.js';
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

/** The program of a command: a name that is looked up, or an absolute path. Anything else depends on a folder. */
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

/** How a secret reaches its server: as a variable, or not at all, but as a placeholder that the gateway's proxy replaces. */
export const SecretInject = z.enum(['env', 'egress']);
export type SecretInject = z.infer<typeof SecretInject>;

const HOST_PORT = /^([a-z0-9_.-]{1,253})(?::([1-9][0-9]{0,4}))?$/;
const HOST_LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** A place that a secret may be sent to: one exact name, lower case and in punycode, and a port, 443 where none is named. */
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

/** A secret that one server gets in its environment, if it is started by exactly that command (Interface Pack §4.1). */
export const SecretBinding = z
  .strictObject({
    server_name: Label,
    inject_as: SecretVariable,
    /** `env`: the name of a variable; `file`: an absolute path; `keychain`, `store`: a name. */
    secret_ref: z.string().min(1).max(4096),
    source: SecretSource,
    /** `egress`: the server gets a placeholder, and the secret is put in on the way to `hosts` alone. */
    inject: SecretInject.default('env'),
    /** Where a secret of `egress` may be sent to. */
    hosts: z.array(SecretHost).min(1).max(16).optional(),
    /** Taken out of what the server says to its client. It never enters the record, either way. */
    redact: z.boolean().default(true),
    /** Program and arguments as they stand behind `--`. */
    command: z.tuple([Program], Word).refine((words) => words.length <= 256, 'at most 256 words'),
    /** The program that is started where `command` only has its name; default: looked up in the system's folders. */
    program: AbsolutePath.optional(),
    /** What of its client's environment the server may get beside secrets: whoever controls the client sets these values. */
    pass: z.array(VariableName).max(64).default([]),
  })
  .superRefine(({ source, secret_ref: reference, inject, hosts }, context) => {
    const misfit = misfitOf(source, inject, hosts);
    if (misfit !== undefined) context.addIssue({ code: 'custom', ...misfit });
    const checked = REFERENCE[source].safeParse(reference);
    const message = checked.success ? undefined : checked.error.issues[0]?.message;
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['secret_ref'], message });
  });
export type SecretBinding = z.infer<typeof SecretBinding>;

function misfitOf(
  source: SecretSource,
  inject: SecretInject,
  hosts: readonly string[] | undefined,
): { readonly path: string[]; readonly message: string } | undefined {
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
  if (source === 'env' || source === 'keychain')
    return {
      path: ['source'],
      message: 'with `inject = "egress"` the gateway itself reads the secret: from the `store` or a `file`',
    };
  return undefined;
}

/** All bindings of a home: one secret a variable of a server and command. */
export const SecretBindings = z
  .array(SecretBinding)
  .max(256)
  .superRefine((bindings, context) => {
    const names = new Set<string>();
    const programs = new Map<string, string | undefined>();
    for (const [index, { server_name, inject_as, command, program }] of bindings.entries()) {
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
