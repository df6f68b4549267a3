import { isJsonObject, type JsonObject, type JsonValue } from '@subluminal/core-types';
import type { Access } from './effects/touch.js';
import { touchedFiles } from './effects/touches.js';
import { hostsInText } from './hosts/in-text.js';
import { hostsOfCommand, reachesNetwork } from './hosts/of-command.js';
import { accessOf, isCommandKey, isFileKey, isSqlKey, isWindowsShell } from './paths/keys.js';
import { normalPath, type Place } from './paths/normal.js';
import { isPatch, patchedFiles } from './paths/patch.js';
import type { CommandReading, PathReading, Readings, StatementReading } from './readings.js';
import { baseName, type SimpleCommand } from './shell/command.js';
import { hasMark, HOLE, ONE, STAR } from './shell/marks.js';
import { readCommand } from './shell/read-command.js';
import { queriesOf } from './sql/of-command.js';
import { readSql } from './sql/statements.js';

/** A call whose arguments are read. */
export interface ReadCall {
  readonly server: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** Keys that the policy names for this tool, besides those that are known. */
  readonly pathKeys?: readonly string[];
  readonly commandKeys?: readonly string[];
}

const MAX_DEPTH = 6;
const MAX_FACTS = 512;
/** Texts that are looked through for hosts, in all. */
const MAX_TEXT = 262_144;

/**
 * Reads the objects of a call: the files that it names, the commands that it runs, the hosts and the
 * statements. Pure, without a look at the disk, in time that is bounded whatever the arguments are.
 */
export function readCall(call: ReadCall, place: Place): Readings {
  const reader = new CallReader(call, place);
  reader.visit(call.args, '', 0);
  return reader.readings;
}

class CallReader {
  readonly #call: ReadCall;
  readonly #place: Place;
  readonly #access: Access;
  readonly #paths = new Map<string, PathReading>();
  readonly #commands: CommandReading[] = [];
  readonly #hosts = new Set<string>();
  readonly #statements: StatementReading[] = [];
  #unreadCommand: string | null = null;
  #unreadSql: string | null = null;
  #unreadPath: string | null = null;
  #looked = 0;

  constructor(call: ReadCall, place: Place) {
    this.#call = call;
    this.#access = accessOf(call.tool);
    const { args } = call;
    const own = ['cwd', 'workdir', 'working_directory'].map((key) =>
      Object.hasOwn(args, key) ? args[key] : undefined,
    );
    const folder = own.find((value) => typeof value === 'string');
    const from = typeof folder === 'string' ? [normalPath(folder, place.cwd[0] ?? HOLE, place)] : place.cwd;
    this.#place = { ...place, cwd: from };
  }

  get readings(): Readings {
    const { home, tmp, project } = this.#place;
    return {
      place: { home, tmp, project },
      paths: [...this.#paths.values()],
      commands: this.#commands,
      hosts: [...this.#hosts],
      statements: this.#statements,
      unread: { command: this.#unreadCommand, sql: this.#unreadSql, path: this.#unreadPath },
    };
  }

  visit(value: JsonValue, key: string, depth: number): void {
    if (typeof value === 'string') return this.#text(value, key);
    if (value === null || typeof value !== 'object') return;
    if (depth === MAX_DEPTH) {
      this.#unreadPath ??= 'the arguments are nested too deep';
      return;
    }
    if (Array.isArray(value)) {
      if (isCommandKey(this.#call.tool, key) && value.every((word) => typeof word === 'string'))
        return this.#argv(value);
      for (const one of value) this.visit(one, key, depth + 1);
    } else if (isJsonObject(value)) {
      for (const [name, one] of Object.entries(value)) this.visit(one, name, depth + 1);
    }
  }

  #text(text: string, key: string): void {
    const { server, tool, pathKeys = [], commandKeys = [] } = this.#call;
    if (isPatch(text) || (tool === 'apply_patch' && (key === 'input' || key === 'patch')))
      return this.#patch(text);
    if (isCommandKey(tool, key) || commandKeys.includes(key)) return this.#command(text);
    if (isSqlKey(server, tool, key)) this.#sql(text);
    if (/^file:/i.test(text)) this.#file(text, 'read', false);
    else if ((isFileKey(server, key) || pathKeys.includes(key)) && !/^[a-z][a-z0-9+.-]+:\/\//i.test(text))
      this.#file(text, this.#access, false);
    this.#looked += text.length;
    if (this.#looked <= MAX_TEXT) for (const host of hostsInText(text)) this.#hosts.add(host);
  }

  /** A command in words: a shell with its text, or a program with its operands. */
  #argv(words: readonly JsonValue[]): void {
    const texts = words.filter((word) => typeof word === 'string');
    const [program = '', option = '', text] = texts;
    const isShell = /^(?:ba|z|da|k)?sh$/.test(baseName(program)) && /^-\w*c$/.test(option);
    this.#command(isShell && text !== undefined ? text : texts.map(quoted).join(' '));
  }

  #command(text: string): void {
    if (isPatch(text)) return this.#patch(text);
    if (
      isWindowsShell(this.#call.server, this.#call.tool) ||
      /^\s*(?:powershell|pwsh|cmd)(?:\.exe)?\b/i.test(text)
    ) {
      this.#unreadCommand ??= 'it is text for PowerShell or cmd';
      for (const host of hostsInText(text)) this.#hosts.add(host);
      return;
    }
    const { commands, unparsed } = readCommand(text, this.#place);
    this.#unreadCommand ??= unparsed;
    for (const command of commands) this.#simple(command);
  }

  #simple(command: SimpleCommand): void {
    const touched = touchedFiles(command, this.#place);
    const hosts = hostsOfCommand(command);
    for (const { path, access, isRecursive } of touched) this.#path([path], access, isRecursive);
    for (const host of hosts) this.#hosts.add(host);
    for (const query of queriesOf(command)) this.#sql(query);
    if (command.program === 'apply_patch')
      this.#patch(command.stdin?.is === 'text' ? command.stdin.text : (command.words[1] ?? ''));
    if (this.#commands.length === MAX_FACTS) {
      this.#unreadCommand ??= 'it has too many commands';
      return;
    }
    this.#commands.push({
      program: command.program,
      argv: [command.program, ...command.words.slice(1)].join(' ').replaceAll(STAR, '*').replaceAll(ONE, '?'),
      spelled: command.words[0] ?? '',
      via: command.via,
      writes_to: touched
        .filter(({ access }) => access === 'write' || access === 'delete')
        .map(({ path }) => path),
      network: reachesNetwork(command, hosts),
      runs_unknown: command.runsUnknown || command.program === HOLE,
    });
  }

  #sql(query: string): void {
    // A value that only run time knows is no statement by itself.
    const { statements, unparsed } = readSql(query.replaceAll(HOLE, ' x '));
    if (unparsed || (hasMark(query) && statements.length === 0))
      this.#unreadSql ??= 'a statement could not be read';
    this.#statements.push(...statements.slice(0, MAX_FACTS - this.#statements.length));
  }

  #patch(text: string): void {
    for (const { name, access } of patchedFiles(text)) this.#file(name, access, false);
  }

  #file(name: string, access: Access, isRecursive: boolean): void {
    if (name === '') return;
    if (hasMark(name)) {
      this.#unreadPath ??= 'it has characters for private use';
      return;
    }
    this.#path(
      [...new Set(this.#place.cwd.map((folder) => normalPath(name, folder, this.#place)))],
      access,
      isRecursive,
    );
  }

  #path(forms: readonly string[], access: Access, isRecursive: boolean): void {
    const key = `${access} ${forms.join('\0')}`;
    if (this.#paths.size === MAX_FACTS && !this.#paths.has(key))
      this.#unreadPath ??= 'it names too many files';
    else this.#paths.set(key, { forms, access, is_recursive: isRecursive });
  }
}

function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
