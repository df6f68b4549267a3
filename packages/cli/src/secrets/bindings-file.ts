import { writeFileSync } from 'node:fs';
import {
  canonicalize,
  type CommandBinding,
  GatewayConfig,
  type HeaderBinding,
  isHeaderBinding,
  type SecretBinding,
  SublError,
} from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { parseTable, readText } from '../home/settings.js';
import { readFileText, replaceFileText } from '../files/replace-text.js';

/** `config.toml`, as far as bindings are concerned. */
export interface BindingsFile {
  readonly path: string;
  /** Undefined where there is no file. */
  readonly text: string | undefined;
  readonly bindings: readonly SecretBinding[];
}

/** Reads the bindings of a home. Throws `config_invalid`, with the first mistake. */
export function readBindings(home: HomePaths): BindingsFile {
  const text = readText(home.config);
  return { path: home.config, text, bindings: bindingsIn(home.config, text ?? '') };
}

/**
 * The text with one more binding. Throws `config_invalid` where the file would not be what it was, and that.
 */
export function withBinding(file: BindingsFile, binding: SecretBinding): string {
  const before = file.text ?? '';
  const gap = before === '' || before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n';
  const text = `${before}${gap}${blockOf(binding)}`;
  assertOnly(file, text, [...file.bindings, binding]);
  return text;
}

/**
 * The text without the bindings at these places. Throws `config_invalid` where they cannot be told from the
 * rest.
 */
export function withoutBindings(file: BindingsFile, places: ReadonlySet<number>): string {
  const lines = (file.text ?? '').split('\n');
  const headers = lines.flatMap((line, at) =>
    /^\s*\[\[\s*secret_bindings\s*\]\]\s*(?:#.*)?$/.test(line) ? [at] : [],
  );
  const cut = new Set<number>();
  for (const [place, header] of headers.entries()) {
    if (!places.has(place)) continue;
    const next = lines.findIndex((line, at) => at > header && /^\s*\[/.test(line));
    let end = next < 0 ? lines.length : next;
    // A comment before the next table, after a gap, is about that one.
    while (end > header + 1 && /^\s*(?:#.*)?$/.test(lines[end - 1] ?? '')) end -= 1;
    for (let at = header; at < end; at += 1) cut.add(at);
    if (lines[header - 1] === '') cut.add(header - 1);
  }
  const text = lines.filter((_, at) => !cut.has(at)).join('\n');
  const rest = file.bindings.filter((_, place) => !places.has(place));
  assertOnly(file, text, rest);
  return text;
}

/** Puts the text in the place of the file as it was read. */
export function writeBindings(file: BindingsFile, text: string): void {
  if (file.text === undefined) {
    writeFileSync(file.path, text, { mode: 0o600, flag: 'wx' });
    return;
  }
  const before = readFileText(file.path);
  if (before.text !== file.text)
    throw new SublError('failed', `\`${file.path}\` was changed meanwhile, so nothing was written`);
  replaceFileText(before, text, process.pid);
}

function bindingsIn(path: string, text: string): readonly SecretBinding[] {
  const table = parseTable(path, text);
  const checked = GatewayConfig.pick({ secret_bindings: true }).safeParse(
    Object.hasOwn(table, 'secret_bindings') ? { secret_bindings: table['secret_bindings'] } : {},
  );
  if (checked.success) return checked.data.secret_bindings ?? [];
  const [issue] = checked.error.issues;
  const where = issue?.path.map(String).join('.') ?? 'secret_bindings';
  throw new SublError('config_invalid', `\`${where}\` in \`${path}\` is wrong: ${issue?.message ?? ''}`, {
    help: 'correct it; docs/secrets.md has the keys of a binding',
  });
}

/** Everything else of the file is what it was: nothing is guessed at in a file that a person writes. */
function assertOnly(file: BindingsFile, text: string, bindings: readonly SecretBinding[]): void {
  const rest = (of: string): unknown => {
    const { secret_bindings: _bindings, ...others } = parseTable(file.path, of);
    return JSON.stringify(others, (_key, value: unknown) =>
      typeof value === 'bigint' ? `${value}n` : value,
    );
  };
  const isKept =
    rest(text) === rest(file.text ?? '') &&
    canonicalize(bindingsIn(file.path, text)) === canonicalize(bindings);
  if (isKept) return;
  throw new SublError(
    'config_invalid',
    `the bindings of \`${file.path}\` are written in a form that is not changed here`,
    {
      help: 'edit `secret_bindings` by hand; docs/secrets.md has its keys',
    },
  );
}

function blockOf(binding: SecretBinding): string {
  const { server_name, inject_as, secret_ref, source, redact, inject } = binding;
  return [
    '[[secret_bindings]]',
    `server_name = ${quoted(server_name)}`,
    `inject_as = ${quoted(inject_as)}`,
    `secret_ref = ${quoted(secret_ref)}`,
    `source = ${quoted(source)}`,
    ...(inject === 'env' ? [] : [`inject = ${quoted(inject)}`]),
    ...(isHeaderBinding(binding) || binding.hosts === undefined ? [] : [`hosts = ${list(binding.hosts)}`]),
    `redact = ${redact}`,
    ...(isHeaderBinding(binding) ? remoteLines(binding) : startedLines(binding)),
    '',
  ].join('\n');
}

function remoteLines({ url, prefix }: HeaderBinding): string[] {
  return [`url = ${quoted(url)}`, ...(prefix === undefined ? [] : [`prefix = ${quoted(prefix)}`])];
}

function startedLines({ command, program, pass }: CommandBinding): string[] {
  return [
    `command = ${list(command)}`,
    ...(program === undefined ? [] : [`program = ${quoted(program)}`]),
    ...(pass.length === 0 ? [] : [`pass = ${list(pass)}`]),
  ];
}

function list(texts: readonly string[]): string {
  return `[${texts.map(quoted).join(', ')}]`;
}

/** TOML's basic string is JSON's, but for DEL. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}
