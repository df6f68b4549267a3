import { readFileSync } from 'node:fs';
import { SublError } from '@subluminal/core-types';
import { compilePolicy, type CompileResult } from '@subluminal/policy';
import { whyOf } from '../output/system-error.js';

/** A policy file as it was read and compiled. */
export interface PolicyFile {
  /** As it was named; `<stdin>` for standard input. */
  readonly name: string;
  readonly text: string;
  readonly result: CompileResult;
}

/** Reads and compiles a policy file, standard input for `-`. Throws `policy_missing` where it cannot be read. */
export function readPolicy(file: string): PolicyFile {
  const isStdin = file === '-';
  let text: string;
  try {
    text = readFileSync(isStdin ? 0 : file, 'utf8');
  } catch (cause) {
    throw new SublError('policy_missing', `\`${file}\` cannot be read: ${whyOf(cause)}`, {
      cause,
      help: 'give the path of a policy file, or write one at the path above',
    });
  }
  const result = compilePolicy(text, isStdin ? {} : { filename: file });
  return { name: isStdin ? '<stdin>' : file, text, result };
}
