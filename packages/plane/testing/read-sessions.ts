import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { PlaneEvent } from '../src/event.js';

/** A boundary that a reader marked, before the event with this number. */
export interface Label {
  readonly at: number;
  readonly why: string;
}

/** A session of the corpus. */
export interface LabelledSession {
  readonly id: string;
  readonly kind: string;
  readonly events: readonly PlaneEvent[];
  readonly labels: readonly Label[];
}

const FOLDER = new URL('sessions/', import.meta.url);

/** The sessions of one half, in the order of their files. @throws Error for a line of another form. */
export function readSessions(half: 'held' | 'open'): readonly LabelledSession[] {
  const folder = fileURLToPath(new URL(`${half}/`, FOLDER));
  return readdirSync(folder)
    .toSorted()
    .flatMap((file) =>
      readFileSync(`${folder}/${file}`, 'utf8')
        .split(/^== /m)
        .filter((part) => part.trim() !== '')
        .map((part) => readSession(part, file.replace('.txt', ''))),
    );
}

/**
 * The same sessions with the labels of the second reader, in `sessions/second-reader.txt`: `ID AT:WORD…`,
 * with AT the number of the event that a boundary stands before. @throws Error for a session that it has not
 * read.
 */
export function bySecondReader(sessions: readonly LabelledSession[]): readonly LabelledSession[] {
  const lines = readFileSync(fileURLToPath(new URL('second-reader.txt', FOLDER)), 'utf8').split('\n');
  const read = new Map(lines.map((line) => [line.split(' ', 1)[0] ?? '', line.split(' ').slice(1)]));
  return sessions.map((session) => {
    const words = read.get(session.id);
    if (words === undefined) throw new Error(`the second reader has not read it: ${session.id}`);
    const labels = words.map((word) => {
      const [at, why = ''] = word.split(':');
      return { at: Number(at), why };
    });
    return { ...session, labels };
  });
}

const LINE = /^(?:\*(\d+) )?(\+?)(\d+) (\S+)(?: (.*?))??( !)?( \^)?$/;
const LIFE: ReadonlyMap<string, 'prompted' | 'stopped'> = new Map([
  ['Prompt', 'prompted'],
  ['Stop', 'stopped'],
]);

function readSession(text: string, kind: string): LabelledSession {
  const [head = '', source = '', ...lines] = text.trimEnd().split('\n');
  if (!source.startsWith('from: ')) throw new Error(`a session without a source: ${head}`);
  const id = head.split(' ', 1)[0] ?? '';
  const events: PlaneEvent[] = [];
  const labels: Label[] = [];
  let seconds = 0;
  for (const line of lines) {
    if (line.startsWith('-- ')) {
      labels.push({ at: events.length, why: line.slice(3) });
      continue;
    }
    const found = LINE.exec(line);
    if (found === null) throw new Error(`no line of a session: ${id}: ${line}`);
    const [, times = '1', plus, number = '0', tool = '', target, failed, isRisky] = found;
    for (let time = 0; time < Number(times); time += 1) {
      seconds = plus === '+' ? seconds + Number(number) : Number(number);
      const base = { id: `${id}-${events.length}`, atMs: 1_700_000_000_000 + seconds * 1000 };
      const what = LIFE.get(tool);
      events.push(
        what === undefined
          ? {
              kind: 'action',
              ...base,
              tool,
              target,
              status: failed === undefined ? 'ok' : 'failed',
              isProtected: isRisky !== undefined,
              repository: /^(\/w\/[^/]+)\//.exec(target ?? '')?.[1] ?? '/w/here',
              form: undefined,
            }
          : { kind: 'life', ...base, what },
      );
    }
  }
  return { id, kind, events, labels };
}
