import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { SublError } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import { compileGlob, compilePathGlob } from '@subluminal/policy';
import {
  commandTest,
  hostTest,
  nameTest,
  objectTest,
  pathTest,
  projectTest,
  textTest,
  type RecordTest,
} from '@subluminal/records';
import { placeHere } from '../objects/read-here.js';
import { string } from '../program/flags.js';

/** The flags of `sub query` that need more than an index of the ledger. */
export const TESTED = {
  server: string('<glob>', 'of this MCP server'),
  tool: string('<glob>', 'of this tool'),
  path: string('<glob>', 'that name such a file, or one below such a folder'),
  command: string('<glob>', 'that run such a command (`git push*`), or this program (`git`)'),
  host: string('<glob>', 'that name this host, and connections to it'),
  object: string('<text>', 'with this text in their command, query, path or URL'),
  text: string('<text>', 'with this text in what is kept of arguments or answer'),
  project: string('<folder>', 'of runs that work in this folder, or below it'),
};

/** The values of those flags. */
export type Tested = { readonly [Name in keyof typeof TESTED]: string | undefined };

/** The tests that the flags ask for. Folders are read from `cwd`. Throws `usage` for a bad pattern. */
export function testsOf(flags: Tested, reader: LedgerReader, cwd: string): readonly RecordTest[] {
  const source = { reader, placeOf: placeHere };
  const tests = {
    server: (glob: string) => nameTest('server', assertGlob('server', glob)),
    tool: (glob: string) => nameTest('tool', assertGlob('tool', glob)),
    path: (glob: string) => pathTest(source, pathPattern(glob, cwd)),
    command: (glob: string) => commandTest(source, assertGlob('command', glob)),
    host: (glob: string) => hostTest(source, assertGlob('host', glob)),
    object: objectTest,
    text: (text: string) => textTest(reader, text),
    project: (folder: string) => projectTest(foldersOf(folder, cwd)),
  };
  return Object.entries(tests).flatMap(([name, test]) => {
    const given = flags[name as keyof Tested];
    return given === undefined || (isName(name) && !isGlob(given)) ? [] : [test(given)];
  });
}

/** The name of a server or a tool that an index finds; undefined for a glob. */
export function plainName(given: string | undefined): string | undefined {
  return given === undefined || isGlob(given) ? undefined : given;
}

function isName(flag: string): boolean {
  return flag === 'server' || flag === 'tool';
}

function isGlob(text: string): boolean {
  return /[*?[\]{}\\]/.test(text);
}

function assertGlob(flag: string, glob: string): string {
  const compiled = compileGlob(glob);
  return compiled.ok ? glob : mistake(flag, glob, compiled.why);
}

/** A pattern that begins with `.` is one of the folder that the verb is called in. */
function pathPattern(given: string, cwd: string): string {
  const pattern = /^\.{1,2}(?:\/|$)/.test(given) ? resolve(cwd, given) : given;
  const compiled = compilePathGlob(pattern);
  return compiled.ok ? pattern : mistake('path', given, compiled.why);
}

/** A folder as it is named, and where its links lead. */
function foldersOf(given: string, cwd: string): readonly string[] {
  const folder = resolve(cwd, given);
  return existsSync(folder) ? [folder, realpathSync(folder)] : [folder];
}

function mistake(flag: string, given: string, why: string): never {
  throw new SublError('usage', `\`${given}\` cannot be read: ${why}`, {
    help: `it was given for \`--${flag}\``,
  });
}
