import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { compilePolicy, type CompileResult } from '@subluminal/policy';
import { whyOf } from '../output/system-error.js';
import { readStandardInput, readText, readTextBelow } from './read-text.js';

/** A policy file as it was read and compiled. */
export interface PolicyFile {
  /** As it was named; `<stdin>` for standard input. */
  readonly name: string;
  readonly text: string;
  readonly result: CompileResult;
}

/** The file that an operand names: a path or, where nothing is there, a starter policy by its name. */
export function policyPath(given: string, starterPolicies: string): string {
  if (!/^[a-z][a-z-]*$/.test(given) || existsSync(given)) return given;
  const starter = join(starterPolicies, `${given}.yaml`);
  return existsSync(starter) ? starter : given;
}

/**
 * Reads and compiles a policy file, standard input for `-`. Throws `policy_missing` where it cannot be read.
 */
export function readPolicy(file: string): PolicyFile {
  const isStdin = file === '-';
  const text = textOf(file, () => (isStdin ? readStandardInput() : readText(file)));
  const result = compilePolicy(text, isStdin ? {} : { filename: file });
  return { name: isStdin ? '<stdin>' : file, text, result };
}

/** Reads and compiles a policy file that a file below the folder is about. Throws `policy_missing`. */
export function readPolicyBelow(folder: string, file: string): PolicyFile {
  const text = textOf(file, () => readTextBelow(folder, file));
  return { name: file, text, result: compilePolicy(text, { filename: file }) };
}

function textOf(file: string, read: () => string): string {
  try {
    return read();
  } catch (cause) {
    throw new SublError('policy_missing', `\`${file}\` cannot be read: ${whyOf(cause)}`, {
      cause,
      help: 'give the path of a policy file; `sub policy init` lists the starter policies and writes one',
    });
  }
}
