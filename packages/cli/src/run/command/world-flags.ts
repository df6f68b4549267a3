import { SublError } from '@subluminal/core-types';
import { worldView, type WorldView } from '@subluminal/worlds';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import type { WorldFlags } from './flags.js';

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Reads before anything begins which files the flags have a world show, and says which variables are not set.
 * Errors: those of `worldView`, and `usage` for a variable with no such name.
 */
export function viewOfFlags(call: Call<WorldFlags>): WorldView {
  const { cwd, environment } = call.session;
  const { pass, read, write, writeThrough } = call.flags;
  for (const remark of passRemarks(pass, environment.all)) call.output.note(`sub: ${escapeText(remark)}`);
  return worldView({ cwd, read, write, writesThrough: writeThrough, gatewayHome: call.home.home });
}

/** Tells of the variables that are not set here. Throws `usage` for one with no such name. */
export function passRemarks(
  pass: readonly string[],
  all: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  for (const name of pass)
    if (!VARIABLE.test(name))
      throw new SublError('usage', `\`--pass ${name}\` names no variable`, {
        help: '`--pass NAME` hands on the value that NAME has here',
      });
  return pass
    .filter((name) => all[name] === undefined)
    .map((name) => `\`${name}\` is not set here: the world goes without it`);
}
