import { readFileSync } from 'node:fs';
import { firstMistake, GatewayConfig, sha256Hex, SublError } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { readState, type FileState } from '../clients/file/file-state.js';
import { replaceFile } from '../files/replace.js';
import { parseTable } from '../home/settings.js';
import { whyOf } from '../output/system-error.js';
import { TextProblem } from '../text/text-problem.js';
import { valueMeaning } from '../text/toml/meaning.js';
import { quoted } from '../text/toml/spelling.js';
import { withSetting } from './edit.js';
import { keyOf } from './key.js';

/** The outcome for `config.toml`. */
export interface Edited {
  readonly isChanged: boolean;
  /** Other settings that are not what they were: a table of names has its defaults until it is written. */
  readonly others: readonly string[];
  /** Of the file as it is now. */
  readonly sha256: string;
}

/** The settings that a text of `config.toml` means, and the ones that it names. Throws `config_invalid`. */
export function readConfig(
  path: string,
  text: string,
): { readonly config: GatewayConfig; readonly table: Readonly<Record<string, unknown>> } {
  const table = parseTable(path, text);
  const checked = GatewayConfig.safeParse(table);
  if (checked.success) return { config: checked.data, table };
  const { message, help } = firstMistake(checked.error, table, 'the file');
  throw new SublError('config_invalid', message, { help });
}

/**
 * Writes one setting into `config.toml`, or takes it out if `value` is undefined. A value that does not
 * fit is never written. Throws `usage` for such a value, `config_invalid` for a file that has a mistake
 * already, `failed`.
 */
export function editConfig(home: HomePaths, path: readonly string[], value: string | undefined): Edited {
  const state = readState(home.config);
  const before = state?.text ?? '';
  const old = readConfig(home.config, before).config;
  const after = edited(home.config, before, path, value);
  const bytes = Buffer.from(after, 'utf8');
  const sha256 = sha256Hex(bytes);
  if (after === before) return { isChanged: false, others: [], sha256 };
  put(home.config, state, bytes);
  const others = changedKeys(old, readConfig(home.config, after).config).filter((key) => key !== keyOf(path));
  return { isChanged: true, others, sha256 };
}

function changedKeys(before: object, after: object): readonly string[] {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].filter((key) => old.get(key) !== now.get(key));
}

/** The settings by their keys, as JSON. A list is one setting. */
function leavesOf(value: object, path: readonly string[] = []): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  for (const [name, inner] of Object.entries(value) as [string, unknown][]) {
    const at = [...path, name];
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner))
      leaves.set(keyOf(at), JSON.stringify(inner));
    else for (const [key, leaf] of leavesOf(inner, at)) leaves.set(key, leaf);
  }
  return leaves;
}

/** As it was written, if that is a value of TOML that fits there; else as a text. */
function edited(file: string, before: string, path: readonly string[], value: string | undefined): string {
  const sources = value === undefined ? [undefined] : [...(isToml(value) ? [value] : []), quoted(value)];
  let first: unknown;
  for (const source of sources) {
    try {
      const after = withSetting(before, path, source);
      readConfig(file, after);
      return after;
    } catch (error) {
      first ??= error;
    }
  }
  if (first instanceof TextProblem)
    throw new SublError('failed', `\`${file}\` cannot be changed: ${first.message}`, {
      cause: first,
      help: 'nothing was changed; write it there yourself',
    });
  if (!(first instanceof SublError)) throw first;
  throw new SublError('usage', `nothing was changed: ${first.message}`, {
    cause: first,
    ...(first.help === undefined ? {} : { help: first.help }),
  });
}

function isToml(value: string): boolean {
  if (/[\n\r]/.test(value)) return false;
  try {
    valueMeaning(value);
    return true;
  } catch {
    return false;
  }
}

/** In one step, with its mode and owner, and only if nobody wrote it meanwhile. */
function put(path: string, state: FileState | undefined, bytes: Buffer): void {
  const real = state?.real ?? path;
  let isDone: boolean;
  try {
    isDone = replaceFile(real, `${real}.${process.pid}.new`, {
      bytes,
      mode: state?.stats.mode ?? 0o600,
      ...(state === undefined ? {} : { owner: state.stats }),
      mayReplace: () =>
        state === undefined ? readState(path) === undefined : readFileSync(real).equals(state.bytes),
    });
  } catch (cause) {
    throw new SublError('failed', `\`${path}\` cannot be written: ${whyOf(cause)}`, {
      cause,
      help: 'it is as it was; see that you can write to its folder',
    });
  }
  if (isDone) return;
  throw new SublError('failed', `\`${path}\` was changed meanwhile, so nothing was written`, {
    help: 'run the same command again',
  });
}
