import { readFileSync } from 'node:fs';

/** `NSpid`: its number on the machine, and 1 in a namespace of its own. */
const FIRST = /^NSpid:\s+\d+\s+(?:\d+\s+)*1$/m;

/** The mask of blocked signals, and SIGTERM's bit of it. */
const BLOCKED = /^SigBlk:\s+([0-9a-f]+)$/m;
const SIGTERM_BIT = 0x4000n;

/**
 * The first process of a world, as the machine counts it, by the process of ours that makes it. It hands
 * signals on to the program. Undefined until it holds them: before, it drops them.
 */
export function firstProcess(parent: number): number | undefined {
  const children = textOf(`/proc/${parent}/task/${parent}/children`).split(' ');
  return children.filter((pid) => holdsSignals(textOf(`/proc/${pid}/status`))).map(Number)[0];
}

function holdsSignals(status: string): boolean {
  const blocked = BLOCKED.exec(status)?.[1];
  return FIRST.test(status) && blocked !== undefined && (BigInt(`0x${blocked}`) & SIGTERM_BIT) !== 0n;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // It has ended.
    return '';
  }
}
