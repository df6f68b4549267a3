import {
  firstMistake,
  type GatewayConfig,
  isSublError,
  redact,
  sha256Hex,
  SublError,
} from '@subluminal/core-types';
import { readOwnText } from '@subluminal/ipc';
import { parse, TomlError } from 'smol-toml';
import type { ConfigFile } from './form.js';
import { findUnavailable } from './unavailable.js';

/** Settings that may be in force. `sha256` is that of the file; null where there is none. */
export interface UsableConfig {
  readonly kind: 'ok' | 'missing' | 'empty';
  readonly config: GatewayConfig;
  readonly sha256: string | null;
}

/**
 * The outcome of reading `config.toml`. Only `missing` and `empty` may mean defaults; the other three must
 * stop the gateway, or a typing error would switch protections off.
 */
export type LoadedConfig =
  | UsableConfig
  | { readonly kind: 'unreadable'; readonly message: string; readonly cause: unknown }
  | { readonly kind: 'invalid'; readonly code: 'config_invalid' | 'not_available'; readonly message: string };

const MAX_BYTES = 1024 * 1024;

/** Reads and checks `config.toml`. Never throws for what the file holds. */
export function loadConfig({ path, form }: ConfigFile): LoadedConfig {
  let text: string | undefined;
  try {
    text = readOwnText(path, { maxBytes: MAX_BYTES, forbidden: 0o022 });
  } catch (error) {
    if (!isSublError(error, 'home_unsafe')) throw error;
    return { kind: 'unreadable', message: error.message, cause: error };
  }
  if (text === undefined) return { kind: 'missing', config: form.schema.parse({}), sha256: null };
  let table: Record<string, unknown>;
  try {
    table = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return invalid(`\`${path}\` line ${error.line}: not valid toml (${firstLine(error.message)})`);
  }
  const sha256 = sha256Hex(text);
  if (Object.keys(table).length === 0) return { kind: 'empty', config: form.schema.parse({}), sha256 };
  const later = findUnavailable(table, form.sections);
  if (later !== undefined) {
    return invalid(`\`${path}\`: this version does not have the setting \`${later}\``, 'not_available');
  }
  const checked = form.schema.safeParse(table);
  if (checked.success) return { kind: 'ok', config: checked.data, sha256 };
  const { message, help } = firstMistake(checked.error, table, 'the file');
  return invalid(`\`${path}\`: ${message}; ${help}`);
}

/** The configuration, or the error that a start ends with: `config_invalid` or `not_available`. */
export function requireConfig(loaded: LoadedConfig): GatewayConfig {
  return requireUsable(loaded).config;
}

/** As `requireConfig`, with the hash of the file. */
export function requireUsable(loaded: LoadedConfig): UsableConfig {
  switch (loaded.kind) {
    case 'ok':
    case 'missing':
    case 'empty':
      return loaded;
    case 'unreadable':
      throw new SublError('config_invalid', loaded.message, {
        cause: loaded.cause,
        help: 'put a file of yours in its place that others cannot write, or move it away for the defaults',
      });
    case 'invalid':
      throw new SublError(loaded.code, loaded.message, {
        help: 'correct the file, or move it away for the defaults',
      });
  }
}

/** It quotes the file, which may hold a credential in a wrong place. */
function invalid(message: string, code: 'config_invalid' | 'not_available' = 'config_invalid'): LoadedConfig {
  return { kind: 'invalid', code, message: redact(message).text };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.replace(/^Invalid TOML document: /, '') ?? '';
}
