import { Operands } from '../effects/touch.js';
import type { Place } from '../paths/normal.js';
import type { SimpleCommand } from '../shell/command.js';
import { endsInTaker } from '../shell/operands/options.js';
import { knownInput } from '../shell/output.js';

/** The clients of databases, with the options whose value is a query. */
const CLIENTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['psql', ['-c', '--command']],
  ['mysql', ['-e', '--execute']],
  ['mariadb', ['-e', '--execute']],
  ['clickhouse-client', ['-q', '--query']],
  ['cqlsh', ['-e', '--execute']],
  ['duckdb', ['-c', '-s']],
  ['sqlcmd', ['-q', '-Q']],
  ['snowsql', ['-q']],
  ['cockroach', ['-e', '--execute']],
  ['sqlite3', []],
]);

/** Lines that a client of a database runs itself: in a shell, from a file, as what a query gives. */
const OWN_LINE =
  /^\s*(?:\\(?:!|i|ir|copy|o|w)|\.(?:shell|system|read|import|output|once|open)|system\s|source\s)/im;

/** The queries that a command gives to a client of a database: by an option, as an operand, as its input. */
export function queriesOf(command: SimpleCommand, place: Place): readonly string[] {
  const { program, words } = command;
  const options = CLIENTS.get(program);
  if (options === undefined) return [];
  const operands = new Operands(words.slice(1));
  const short = new Set(options.filter((option) => option.length === 2));
  const given = words.slice(1).flatMap((word, at) => {
    if (options.includes(word) || endsInTaker(word, short)) return [words[at + 2] ?? ''];
    const long = options.find((option) => option.startsWith('--') && word.startsWith(`${option}=`));
    if (long !== undefined) return [word.slice(long.length + 1)];
    return short.has(word.slice(0, 2)) ? [word.slice(2)] : [];
  });
  const input = knownInput(command, place);
  return [
    ...given,
    ...(program === 'sqlite3' ? operands.plain().slice(1) : []),
    ...(input === undefined ? [] : [input]),
  ];
}

/** Whether a text for a client of a database has lines that are none of SQL. */
export function hasOwnLines(query: string): boolean {
  return OWN_LINE.test(query) || /\\(?:gexec|g\s*\|)/.test(query);
}
