import { describe, expect, it } from 'vitest';
import { action, life, work } from '../../testing/events.js';
import type { PlaneEvent } from '../event.js';
import { look, type SignalName, START_MEMORIES } from './all.js';
import type { SignWhy } from './signal.js';

/** The signs that one signal gives, with the number of the event. */
function signs(name: SignalName, events: readonly PlaneEvent[]): readonly (readonly [number, SignWhy])[] {
  let memories = START_MEMORIES;
  return events.flatMap((event, at) => {
    const seen = look(name, memories, event);
    memories = { ...memories, [name]: seen.memory };
    return seen.sign === undefined ? [] : [[at, seen.sign.why] as const];
  });
}

const commands = (command: string, count: number, gap = 1, from = 0): readonly PlaneEvent[] =>
  Array.from({ length: count }, (_, at) => action(from + at * gap, 'Bash', command));

describe('the kind of work', () => {
  it('changes with the second edit after looking around, and with the second check after edits', () => {
    expect(signs('work_kind', work('rrreett'))).toEqual([
      [4, 'kind'],
      [6, 'kind'],
    ]);
  });

  it('goes back to looking around with the fourth look, and with the second one after a prompt', () => {
    expect(signs('work_kind', work('eerrrr'))).toEqual([[5, 'kind']]);
    expect(signs('work_kind', work('eeprr'))).toEqual([[4, 'kind']]);
  });

  it('gets nothing from a command that comes again', () => {
    expect(signs('work_kind', [...work('rr'), ...commands('node x.mjs', 9, 1, 2)])).toEqual([]);
  });

  it('takes longer to come back the sooner it left', () => {
    const [first, second, third] = signs('work_kind', work('eetteeettteeeetttteeeee'));
    expect([first, second, third]).toEqual([
      [3, 'kind'],
      [5, 'kind'],
      [9, 'kind'],
    ]);
  });
});

describe('a protected action', () => {
  it('is a sign the first time, and again after twenty that are not', () => {
    expect(signs('protected', [...work('r!!r!'), ...work('r'.repeat(20), 5), ...work('!', 25)])).toEqual([
      [1, 'protected'],
      [25, 'protected'],
    ]);
  });

  it('is none where no policy was asked', () => {
    expect(signs('protected', [action(1, 'Bash', 'x', { isProtected: undefined })])).toEqual([]);
  });
});

describe('trouble', () => {
  it('is the same command four times in a row, told once', () => {
    expect(signs('failure', commands('ls x', 30))).toEqual([[3, 'repeating']]);
  });

  it('is not a command that is waited for', () => {
    expect(signs('failure', commands('gh run view 1', 30, 3))).toEqual([]);
  });

  it('is a file read eight times in a row, and no number of edits of one', () => {
    const reads = Array.from({ length: 9 }, (_, at) => action(at, 'Read', 'a/b.ts'));
    const edits = Array.from({ length: 60 }, (_, at) => action(at, 'Edit', 'a/b.ts'));
    expect(signs('failure', reads)).toEqual([[7, 'repeating']]);
    expect(signs('failure', edits)).toEqual([]);
  });

  it('is four failures among eight actions, and again only after a calm', () => {
    expect(signs('failure', work('tETeTTTT'))).toEqual([[5, 'failing']]);
    expect(signs('failure', work('TTTTrrrrrrrrTTTT'))).toEqual([
      [3, 'failing'],
      [15, 'failing'],
    ]);
  });

  it('is repetition alone where a client tells no status', () => {
    const blind = (events: readonly PlaneEvent[]): readonly PlaneEvent[] =>
      events.map((event) => (event.kind === 'action' ? { ...event, status: undefined } : event));
    expect(signs('failure', blind(work('TTTTTTTT')))).toEqual([]);
    expect(signs('failure', blind(commands('ls x', 4)))).toEqual([[3, 'repeating']]);
  });
});

describe('the scope', () => {
  const inModule = (module: string, count: number, from: number): readonly PlaneEvent[] =>
    Array.from({ length: count }, (_, at) => action(from + at, 'Read', `${module}/f${at}.ts`));

  it('changes with the third action in another module, and not with a look into it', () => {
    expect(
      signs('scope', [...inModule('api', 3, 0), ...inModule('web', 2, 3), ...inModule('api', 1, 5)]),
    ).toEqual([]);
    expect(signs('scope', [...inModule('api', 3, 0), ...inModule('web', 3, 3)])).toEqual([[5, 'module']]);
  });

  it('names another repository as one', () => {
    const there = inModule('api', 3, 3).map((event) => ({ ...event, repository: '/w/there' }));
    expect(signs('scope', [...inModule('api', 3, 0), ...there])).toEqual([[5, 'repository']]);
  });

  it('is not moved by files of the repository itself, nor by commands', () => {
    const files = ['README.md', 'package.json', 'LICENSE.md', 'tsconfig.json'];
    const own = files.map((file, at) => action(at + 3, 'Read', file));
    expect(signs('scope', [...inModule('api', 3, 0), ...own, ...commands('cat web/x.ts', 5)])).toEqual([]);
  });
});

describe('the life of a client', () => {
  it('is a sign where looking around follows a prompt, and none where work goes on', () => {
    expect(signs('lifecycle', work('rreprr'))).toEqual([[5, 'task']]);
    expect(signs('lifecycle', work('rrepeetrr'))).toEqual([]);
  });

  it('is none at the first prompt of a session', () => {
    expect(signs('lifecycle', work('prrrr'))).toEqual([]);
  });

  it('is a sign where the context is compacted', () => {
    expect(signs('lifecycle', [...work('rr'), life(3, 'compacted')])).toEqual([[2, 'compaction']]);
  });

  it.each(['started', 'stopped', 'subagent_started', 'subagent_stopped', 'ended', 'resumed'] as const)(
    'is none for %s',
    (what) => {
      expect(signs('lifecycle', [...work('re'), life(3, what), ...work('rrr', 4)])).toEqual([]);
    },
  );
});
