import { readFileSync } from 'node:fs';

/** `NSpid`: its number on the machine, and 1 in a namespace of its own. */
const FIRST = /^NSpid:\s+\d+\s+(?:\d+\s+)*1$/m;

/**
 * The first process of a world, as the machine counts it, by the process of ours that makes it; undefined as
 * long as there is none. It hands signals on to the program.
 */
export function firstProcess(parent: number): number | undefined {
  const children = textOf(`/proc/${parent}/task/${parent}/children`).split(' ');
  return children.filter((pid) => FIRST.test(textOf(`/proc/${pid}/status`))).map(Number)[0];
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // It has ended.
    return '';
  }
}
