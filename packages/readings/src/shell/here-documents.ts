import { CUT } from './marks.js';

/** A text without the bodies of its quoted here-documents. */
export interface WithoutBodies {
  readonly text: string;
  readonly bodies: readonly string[];
}

const START = /(?:^|[^<])<<(-?)[ \t]*(?:'([A-Za-z_]\w*)'|"([A-Za-z_]\w*)"|\\([A-Za-z_]\w*))/;

/**
 * Cuts the bodies of quoted here-documents out of a text, and leaves a mark with its number in each place:
 * a file that an agent writes this way may be long, and nothing in it is a command. A text that only looks
 * like a here-document leaves its mark elsewhere than in one, which the reader then notices.
 */
export function cutBodies(text: string, first: number): WithoutBodies {
  const lines = text.split('\n');
  const kept: string[] = [];
  const bodies: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    kept.push(line);
    const start = START.exec(line);
    if (start === null) continue;
    const delimiter = start[2] ?? start[3] ?? start[4];
    const ends = (one: string | undefined): boolean =>
      (start[1] === '-' ? one?.replace(/^\t+/, '') : one) === delimiter;
    let end = at + 1;
    while (end < lines.length && !ends(lines[end])) end += 1;
    if (end >= lines.length) break;
    kept.push(`${CUT}${first + bodies.length}`, lines[end] ?? '');
    bodies.push(`${lines.slice(at + 1, end).join('\n')}\n`);
    at = end;
  }
  return { text: kept.join('\n'), bodies };
}
