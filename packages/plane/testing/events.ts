import type { Action, Life, LifeKind, PlaneEvent } from '../src/event.js';

const START_MS = 1_700_000_000_000;

/** An action of Claude Code, as it is shown when nothing else is said. */
export function action(at: number, tool: string, target?: string, more: Partial<Action> = {}): Action {
  return {
    kind: 'action',
    id: `call-${at}`,
    atMs: START_MS + at * 10_000,
    tool,
    target,
    status: 'ok',
    isProtected: false,
    repository: '/w/here',
    form: undefined,
    ...more,
  };
}

/** An event of the client's life. */
export function life(at: number, what: LifeKind): Life {
  return { kind: 'life', id: `life-${at}`, atMs: START_MS + at * 10_000, what };
}

/**
 * Events ten seconds apart, one a letter: `r` reads, `e` edits, `t` tests, `g` commits, `!` is protected; a
 * capital letter is one that failed; `p` is a prompt.
 */
export function work(word: string, from = 0): readonly PlaneEvent[] {
  return word.split('').map((letter, index) => {
    const at = from + index;
    const status = letter === letter.toLowerCase() ? 'ok' : 'failed';
    switch (letter.toLowerCase()) {
      case 'r':
        return action(at, 'Read', `src/a/f${at % 5}.ts`, { status });
      case 'e':
        return action(at, 'Edit', `src/a/f${at % 5}.ts`, { status });
      case 't':
        return action(at, 'Bash', `npm test -- ${at}`, { status });
      case 'g':
        return action(at, 'Bash', `git commit -m ${at}`, { status });
      case '!':
        return action(at, 'Bash', `deploy ${at}`, { isProtected: true });
      default:
        return life(at, 'prompted');
    }
  });
}
