import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { SublError } from '@subluminal/core-types';
import type { Call } from '../program/call.js';
import { whyOf } from './system-error.js';

/** Writes a text to the file that `--out` names; to stdout, byte for byte, without one. Throws `failed`. */
export function deliver(call: Call, text: string): string | null {
  const out = call.text('out');
  if (out === undefined) {
    if (!call.output.json) call.output.raw(text);
    return null;
  }
  const path = resolve(out);
  try {
    writeFileSync(path, text);
    return path;
  } catch (cause) {
    throw new SublError('failed', `\`${path}\` cannot be written: ${whyOf(cause)}`, {
      cause,
      help: 'name a file in a folder that you can write',
    });
  }
}
