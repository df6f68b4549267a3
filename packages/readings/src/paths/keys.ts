import type { Access } from '../effects/touch.js';

/**
 * Keys whose texts name files, whatever the tool. Not `content`, `text`, `pattern`, `query`, `message`: those
 * hold anything.
 */
const FILE_KEYS: ReadonlySet<string> = new Set(
  'path paths file files file_path filepath file_paths filename notebook_path relative_path abs_path absolute_path source destination src dst dest target old_path new_path dir directory folder root cwd workdir working_directory uri output output_path input_path outfile target_file sourcepath targetpath outputpath sourcepdfpath repo_path local_path'.split(
    ' ',
  ),
);

/** Keys whose texts are commands of a shell. */
const COMMAND_KEYS: ReadonlySet<string> = new Set(
  'command cmd script cli_command shell_command bash commandline command_line chars'.split(' '),
);

/** Keys whose texts are queries, where the tool or the server looks like a database. */
const SQL_KEYS: ReadonlySet<string> = new Set('sql query statement sql_query'.split(' '));
const DATABASE =
  /sql|postgres|neon|supabase|bigquery|sqlite|duckdb|clickhouse|snowflake|database|\bdb\b|query/i;

/** Tools whose paths are those of another machine: a repository of a forge, a chat. */
const REMOTE_FILES = /^(?:github|gitlab|bitbucket|gitea|notion|slack|linear|jira|confluence|figma)/i;

const WRITES =
  /write|edit|create|move|delete|remove|rename|append|insert|replace|patch|save|copy|notebook|put|upload|mkdir|update|screenshot|export/i;
const DELETES = /delete|remove|unlink|rmdir/i;
const LOOKS = /list|tree|info|glob|search_files|find_files|stat|exists|directory/i;

/** Whether a text under that key names a file. `name` is that of the server. */
export function isFileKey(server: string, key: string): boolean {
  return FILE_KEYS.has(key.toLowerCase()) && !REMOTE_FILES.test(server);
}

/** Whether a text under that key is a command of a shell. */
export function isCommandKey(tool: string, key: string): boolean {
  const name = key.toLowerCase();
  return COMMAND_KEYS.has(name) || (name === 'input' && /process|terminal|stdin|shell|session/i.test(tool));
}

/** Whether a text under that key is a query. */
export function isSqlKey(server: string, tool: string, key: string): boolean {
  return (
    SQL_KEYS.has(key.toLowerCase()) &&
    (key.toLowerCase().includes('sql') || DATABASE.test(`${server} ${tool}`)) &&
    !/websearch|web_search/i.test(tool)
  );
}

/** The access of a tool to the files that it names, as its own name tells. */
export function accessOf(tool: string): Access {
  if (DELETES.test(tool)) return 'delete';
  if (WRITES.test(tool)) return 'write';
  return LOOKS.test(tool) ? 'look' : 'read';
}

/** Tools whose `command` is one for PowerShell or cmd, which nobody parses here. */
export function isWindowsShell(server: string, tool: string): boolean {
  return /powershell|pwsh|windows|\bcmd\b/i.test(`${server} ${tool}`);
}
