import { Operands } from '../effects/touch.js';
import type { SimpleCommand } from '../shell/command.js';

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

/** The queries that a command gives to a client of a database: by an option, as an operand, as its input. */
export function queriesOf(command: SimpleCommand): readonly string[] {
  const { program, words, stdin } = command;
  const options = CLIENTS.get(program);
  if (options === undefined) return [];
  const operands = new Operands(words.slice(1));
  const given = words.slice(1).flatMap((word, at) => {
    if (options.includes(word)) return [words[at + 2] ?? ''];
    const attached = options.find((option) => option.startsWith('--') && word.startsWith(`${option}=`));
    return attached === undefined ? [] : [word.slice(attached.length + 1)];
  });
  const last = stdin?.is === 'commands' ? stdin.from.at(-1) : undefined;
  return [
    ...given,
    ...(program === 'sqlite3' ? operands.plain().slice(1) : []),
    ...(stdin?.is === 'text' ? [stdin.text] : []),
    ...(last?.program === 'echo' || last?.program === 'printf' ? [last.words.slice(1).join(' ')] : []),
  ];
}
