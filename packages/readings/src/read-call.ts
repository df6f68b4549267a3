import { isJsonObject, MAX_DEPTH, type JsonObject, type JsonValue } from '@subluminal/core-types';
import type { Access } from './effects/touch.js';
import { touchedFiles } from './effects/touches.js';
import { hostsInText, MOST_HOSTS } from './hosts/in-text.js';
import { hostsOfCommand, reachesNetwork } from './hosts/of-command.js';
import {
  isCommandKey,
  isFileKey,
  isFolderKey,
  isListKey,
  isOperandsKey,
  isSearch,
  isSqlKey,
  isTypedKey,
  isWindowsShell,
  plain,
} from './paths/keys.js';
import { isGlobKey, namesOfGlob } from './paths/globs.js';
import { climbingPath, normalPath, type Place, windowsForms } from './paths/normal.js';
import { keptKeys, type NamedKeys, placeBelow, topOf } from './named-keys.js';
import { isPatch, isPatchTool, MOST_PATCHED, patchedFiles } from './paths/patch.js';
import { accessesOf, isVerb } from './paths/verbs.js';
import type { CommandReading, PathReading, Readings, StatementReading } from './readings.js';
import { baseName, type SimpleCommand } from './shell/command.js';
import { verbFirst } from './shell/operands/global-options.js';
import { hasMark, HOLE, ONE, STAR } from './shell/marks.js';
import { readCommand } from './shell/read-command.js';
import { hasOwnLines, queriesOf } from './sql/of-command.js';
import { readSql } from './sql/statements.js';
import { typedText } from './typed.js';

/** A call whose arguments are read. */
export interface ReadCall {
  readonly server: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** Those that the policy names for this tool, besides the usual ones. */
  readonly keys: NamedKeys;
}

const MAX_FACTS = 512;
/** Texts that are looked through for hosts, in all. */
const MAX_TEXT = 262_144;
/** Commands of a call, in characters. */
const MAX_COMMAND_TEXT = 24_576;
/** The body of a here-document makes a command long, and costs nothing. */
const MAX_LONGEST = 8192;
/** Names of files, each (PATH_MAX of Linux) and all. */
const MAX_NAME = 4096;
const MAX_PATH_TEXT = 131_072;
const MAX_FOLDERS = 6;
/** Text that is typed into a program; a longer one is read as a command is. */
const MAX_TYPED = 2048;
const MAX_LINES = 128;

/**
 * Reads the objects of a call: the files that it names, the commands that it runs, the hosts and the
 * statements. Pure, without a look at the disk, in time that is bounded whatever the arguments are.
 */
export function readCall(call: ReadCall, place: Place): Readings {
  const reader = new CallReader(call, place);
  reader.visit(call.args, '', 0, topOf(call.keys));
  return reader.readings;
}

class CallReader {
  readonly #call: ReadCall;
  readonly #place: Place;
  readonly #access: Access;
  readonly #accesses: readonly Access[];
  readonly #paths = new Map<string, PathReading>();
  readonly #commands: CommandReading[] = [];
  readonly #hosts = new Set<string>();
  readonly #statements: StatementReading[] = [];
  #unreadCommand: string | null = null;
  #unreadSql: string | null = null;
  #unreadPath: string | null = null;
  #unreadHost: string | null = null;
  #commandText = 0;
  #pathText = 0;
  #looked = 0;

  constructor(call: ReadCall, place: Place) {
    this.#call = call;
    const [access, ...accesses] = accessesOf(call.tool, call.args);
    this.#access = access;
    this.#accesses = accesses;
    const { args } = call;
    const named = Object.entries(args).flatMap(([key, value]) =>
      isFolderKey(key) && typeof value === 'string'
        ? place.cwd.map((folder) => normalPath(value, folder, place))
        : [],
    );
    const folders = named.length === 0 ? place.cwd : [...new Set(named)];
    if (folders.length > MAX_FOLDERS) this.#unreadPath = 'it names too many folders';
    this.#place = { ...place, cwd: folders.slice(0, MAX_FOLDERS) };
  }

  get readings(): Readings {
    const { home, tmp, project } = this.#place;
    const keys = keptKeys(this.#call.keys);
    return {
      ...(keys === undefined ? {} : { keys }),
      place: { home, tmp, project },
      paths: [...this.#paths.values()],
      commands: this.#commands,
      hosts: [...this.#hosts],
      statements: this.#statements,
      unread: {
        command: this.#unreadCommand,
        sql: this.#unreadSql,
        path: this.#unreadPath,
        host: this.#unreadHost,
      },
    };
  }

  /** `at` is the place of the value as a policy names it; undefined where none does. */
  visit(value: JsonValue, key: string, depth: number, at: string | undefined): void {
    if (typeof value === 'string') return this.#text(value, key, at);
    if (value === null || typeof value !== 'object') return;
    if (depth === MAX_DEPTH) {
      const why = 'the arguments are nested too deep';
      this.#unreadPath ??= why;
      this.#unreadCommand ??= why;
      this.#unreadSql ??= why;
      this.#unreadHost ??= why;
      return;
    }
    if (Array.isArray(value)) {
      const isCommand = isCommandKey(this.#call.tool, key);
      if ((isCommand || this.#names('commands', at)) && areTexts(value)) {
        if (isListKey(key) || /\s/.test(value[0] ?? '')) for (const one of value) this.#command(one);
        else this.#argv(value);
        if (this.#names('paths', at)) for (const one of value) this.#named(one);
        if (isCommand) return;
        at = undefined;
      }
      for (const one of value) this.visit(one, key, depth + 1, at);
    } else if (isJsonObject(value)) {
      const behind = Object.keys(value).find((name) => isOperandsKey(name) && areTexts(value[name]));
      for (const [name, one] of Object.entries(value)) {
        const operands = behind === undefined ? undefined : value[behind];
        const inner = placeBelow(at, name);
        const isCommand = isCommandKey(this.#call.tool, name);
        // A program with its operands beside it.
        if ((isCommand || this.#names('commands', inner)) && typeof one === 'string' && areTexts(operands)) {
          this.#argv([one, ...operands]);
          if (isCommand) continue;
        }
        this.visit(one, name, depth + 1, inner);
      }
    }
  }

  #names(kind: 'paths' | 'commands', at: string | undefined): boolean {
    return at !== undefined && this.#call.keys[kind].includes(at);
  }

  #text(text: string, key: string, at: string | undefined): void {
    const { server, tool } = this.#call;
    // Besides its usual reading: a policy cannot have less read.
    if (this.#names('commands', at)) this.#command(text);
    if (this.#names('paths', at)) this.#named(text);
    if (isPatch(tool, key, text)) this.#patch(text);
    if (isPatchTool(tool)) return;
    if (isTypedKey(tool, key)) return this.#typed(text);
    if (isCommandKey(tool, key) && !isVerb(text)) return this.#command(text);
    if (isSqlKey(server, tool, key)) this.#sql(text);
    if (isSearch(tool) && isGlobKey(plain(key))) this.#globbed(text);
    else if (isFileKey(server, key)) this.#named(text);
    else if (/^\s*file:/i.test(text)) this.#file(text, 'read', false);
    this.#looked += text.length;
    if (this.#looked > MAX_TEXT) this.#unreadHost ??= 'it has more text than is looked through';
    else this.#addHosts(hostsInText(text));
  }

  /** A text under a key that names files. */
  #named(text: string): void {
    if (/^\s*file:/i.test(text)) return this.#file(text, this.#access, false);
    // A program that takes `x://../..` for a file goes up in it.
    if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text) && !text.includes('..')) return;
    this.#file(text, this.#access, this.#access === 'read' && isSearch(this.#call.tool));
    // The name of a tool may say one thing, and a verb beside the file another.
    for (const access of this.#accesses) this.#file(text, access, access === 'delete');
  }

  /** A text that says through which files a tool looks. */
  #globbed(text: string): void {
    const names = hasMark(text) || text.length > MAX_NAME ? undefined : namesOfGlob(text);
    if (names === undefined) this.#unreadPath ??= 'a glob is too long, or means too many names';
    for (const name of names ?? [])
      this.#path(
        this.#place.cwd.map((folder) => normalPath(name, folder, this.#place)),
        [],
        this.#access,
        false,
      );
  }

  /** A command in words: a shell with its text, or a program with its operands. */
  #argv(words: readonly JsonValue[]): void {
    const texts = words.filter((word) => typeof word === 'string');
    const [program = '', option = '', text] = texts;
    const isShell = /^(?:ba|z|da|k)?sh$/.test(baseName(program)) && /^-\w*c\w*$/.test(option);
    this.#command(isShell && text !== undefined && texts.length === 3 ? text : texts.map(quoted).join(' '));
  }

  /** Text that is typed into a program which the call does not name: its lines that are commands. */
  #typed(text: string): void {
    const typed = typedText(text);
    const isRead = (one: string): boolean => readCommand(one, this.#place).unparsed === null;
    const lines = typed.split('\n');
    if (typed.length > MAX_TYPED || lines.length > MAX_LINES || isRead(typed)) return this.#command(typed);
    for (const line of lines) if (isRead(line)) this.#command(line);
  }

  #command(text: string): void {
    this.#commandText += Math.min(text.length, MAX_LONGEST);
    if (this.#commandText > MAX_COMMAND_TEXT) {
      this.#unreadCommand ??= 'it has too much text of commands';
      return;
    }
    if (
      isWindowsShell(this.#call.server, this.#call.tool) ||
      /^\s*(?:powershell|pwsh|cmd)(?:\.exe)?\b/i.test(text)
    ) {
      this.#unreadCommand ??= 'it is text for PowerShell or cmd';
      this.#addHosts(hostsInText(text));
      return;
    }
    const { commands, unparsed } = readCommand(text, this.#place);
    this.#unreadCommand ??= unparsed;
    for (const command of commands) this.#simple(command);
  }

  #simple(command: SimpleCommand): void {
    const own = this.#call.keys.programs?.effects.get(command.program);
    const touched = touchedFiles(command, this.#place, own);
    const hosts = hostsOfCommand(command);
    for (const { path, climb, access, isRecursive } of touched)
      this.#path([path], climb === undefined ? [] : [climb], access, isRecursive);
    this.#addHosts(hosts);
    for (const query of queriesOf(command, this.#place)) {
      this.#sql(query);
      if (hasOwnLines(query)) this.#unreadSql ??= 'it has a line for the client of the database itself';
    }
    if (command.program === 'apply_patch')
      this.#patch(command.stdin?.is === 'text' ? command.stdin.text : (command.words[1] ?? ''));
    if (this.#commands.length === MAX_FACTS) {
      this.#unreadCommand ??= 'it has too many commands';
      return;
    }
    this.#commands.push({
      program: command.program,
      argv: unmarked([command.program, ...verbFirst(command.program, command.words).slice(1)].join(' ')),
      // Variables may make another program of it than the plain name says.
      spelled: `${command.hasOwnEnvironment ? 'env ' : ''}${command.words[0] ?? ''}`,
      via: command.via,
      writes_to: touched
        .filter(({ access }) => access === 'write' || access === 'delete')
        .map(({ path }) => path),
      network: reachesNetwork(command, hosts) || own?.some(({ network }) => network) === true,
      runs_unknown: command.runsUnknown || command.program === HOLE,
    });
  }

  #sql(query: string): void {
    // A value that only run time knows is no statement by itself.
    const { statements, unparsed } = readSql(query.replaceAll(HOLE, ' x '));
    if (unparsed || (hasMark(query) && statements.length === 0))
      this.#unreadSql ??= 'a statement could not be read';
    if (statements.length > MAX_FACTS - this.#statements.length)
      this.#unreadSql ??= 'it has too many statements';
    this.#statements.push(...statements.slice(0, MAX_FACTS - this.#statements.length));
  }

  #patch(text: string): void {
    const files = patchedFiles(text);
    if (files.length > MOST_PATCHED) this.#unreadPath ??= 'the patch has too many files';
    for (const { name, access } of files) this.#file(name, access, false);
  }

  #file(name: string, access: Access, isRecursive: boolean): void {
    if (name === '') return;
    if (hasMark(name) || name.length > MAX_NAME) {
      this.#unreadPath ??= hasMark(name) ? 'it has characters for private use' : 'a name is too long';
      return;
    }
    const { cwd } = this.#place;
    const names = [name, ...windowsForms(name)];
    const climbs = cwd.map((folder) => climbingPath(name, folder, this.#place));
    this.#path(
      [...new Set(cwd.flatMap((folder) => names.map((one) => normalPath(one, folder, this.#place))))],
      climbs.filter((path) => path !== undefined),
      access,
      isRecursive,
    );
  }

  #addHosts(hosts: readonly string[]): void {
    for (const host of hosts) this.#hosts.add(host);
    if (this.#hosts.size > MOST_HOSTS) this.#unreadHost ??= 'it names too many hosts';
  }

  #path(forms: readonly string[], climbs: readonly string[], access: Access, isRecursive: boolean): void {
    for (const form of forms) this.#pathText += form.length;
    if (this.#pathText > MAX_PATH_TEXT) {
      this.#unreadPath ??= 'its paths are too long';
      return;
    }
    const key = `${access} ${forms.join('\0')}`;
    if (this.#paths.size === MAX_FACTS && !this.#paths.has(key))
      this.#unreadPath ??= 'it names too many files';
    else this.#paths.set(key, { forms, climbs, access, is_recursive: isRecursive });
  }
}

/** Patterns of a shell as they are written; a hole stays. */
function unmarked(text: string): string {
  return hasMark(text) ? text.replaceAll(STAR, '*').replaceAll(ONE, '?') : text;
}

function areTexts(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string');
}

function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
