import { readFileSync } from 'node:fs';
import type { Asked } from './starter.js';

/** A call of the corpus. */
export interface Sample extends Asked {
  readonly id: string;
  readonly category: string;
}

/** Calls of the corpus, with folders of this machine in the place of others. */
export function samples(
  kind: 'dangerous' | 'harmless',
  folders: readonly (readonly [there: string, here: string])[],
): readonly Sample[] {
  const text = readFileSync(new URL(`../fixtures/calls/${kind}.jsonl`, import.meta.url), 'utf8');
  const here = folders.reduce((now, [from, to]) => now.replaceAll(from, to), text);
  return here.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Sample]));
}

/** The command of a call in one text; empty where it has none. */
function commandOf({ args }: Sample): string {
  const text = args['command'] ?? args['cmd'] ?? '';
  return typeof text === 'string' ? text : JSON.stringify(text);
}

/**
 * The work that `ci-strict` is for, told by category and by plain patterns, and not by its rules: what is
 * done in a checkout, without what its header keeps out.
 */
export function isForCi(call: Sample): boolean {
  const command = commandOf(call);
  const isCategory = 'read search git node python rust-go heredoc compound file'
    .split(' ')
    .includes(call.category);
  const keptOut = [
    /\bgit push\b.*\bmain\b|--tags|pr merge/, // protected branches, tags, merges
    /\b(?:python3?|node|ruby|perl)\b[^|]* (?:-[cepn]+|-) /, // code in words
    /\b(?:docker|psql|mysql|sqlite3|perl|flask|twine|rimraf|just|lodash)\b/, // none of its programs
    /https?:\/\/(?!localhost)/, // none of its hosts
    /\$\(pwd\)|-exec rm/, // deletes where no text says what
  ];
  return (
    isCategory &&
    !JSON.stringify(call.args).includes('.github/workflows/') &&
    !keptOut.some((pattern) => pattern.test(command))
  );
}

/** Reading, as categories and the first word of a query tell it: without a file that output goes to. */
export function isReading(call: Sample): boolean {
  const command = commandOf(call);
  if (call.category === 'read' || call.category === 'search') return !/> ?\/tmp/.test(command);
  if (call.category === 'file')
    return /^(?:Read|Grep|Glob|read_|list_|get_|search_|find_|directory_tree)/.test(call.tool);
  const query = call.args['sql'] ?? call.args['query'];
  return (
    call.category === 'sql' &&
    typeof query === 'string' &&
    /^(?:--.*\n)?(?:SELECT|EXPLAIN|SHOW|WITH) /.test(query)
  );
}
