import type { Access } from '../effects/touch.js';

/**
 * Keys whose texts name files, whatever the tool, without their `_` and `-`. Not `content`, `text`,
 * `pattern`, `query`, `message`: those hold anything.
 */
const FILE_KEYS: ReadonlySet<string> = new Set(
  'path paths file files filepath filepaths filename fullpath pathname notebookpath relativepath abspath absolutepath source destination src dst dest target oldpath newpath dir directory folder root cwd workdir workingdirectory uri fileuri output outputpath inputpath outfile inputfile targetfile sourcefile localfile localfilepath sourcepath srcpath targetpath destpath destinationpath outputfile outputpath sourcepdfpath repopath localpath imagepath keyfile keypath configpath configfile document attachment attachments location basepath savepath downloadpath projectpath'.split(
    ' ',
  ),
);

/** Keys whose texts are commands of a shell. */
const COMMAND_KEYS: ReadonlySet<string> = new Set(
  'command commands cmd script clicommand shellcommand bash commandline'.split(' '),
);

/** Keys whose texts are queries, where the tool or the server looks like a database. */
const SQL_KEYS: ReadonlySet<string> = new Set(
  'sql query queries statement statements sqlquery sqlqueries sqltext rawsql sqlstatement sqlstatements'.split(
    ' ',
  ),
);
const DATABASE =
  /sql|postgres|\bpg\b|neon|supabase|bigquery|sqlite|duckdb|clickhouse|snowflake|oracle|redshift|trino|presto|athena|databricks|mariadb|database|\w*db\b|query/i;

/** A key without its `_` and `-`, in lower case. */
export function plain(key: string): string {
  return key.replace(/[_-]/g, '').toLowerCase();
}

/** Tools whose paths are those of another machine: a repository of a forge, a chat. */
const REMOTE_FILES =
  /^(?:github|gitlab|bitbucket|gitea|notion|slack|linear|jira|confluence|figma|docker|podman|kubernetes|k8s|kubectl|ssh|sftp|ftp|s3|aws-s3|gcs|minio|r2|azure-(?:blob|storage)|dropbox|google-?drive|gdrive|onedrive|sharepoint|box|nextcloud|webdav)(?:[_-]|$)/i;
/** Keys of the files of this machine, also where the others are not. */
const LOCAL_KEYS: ReadonlySet<string> = new Set(
  'localfile localfilepath localpath local hostpath uploadpath downloadpath savepath sourcefile keyfile keypath fileuri'.split(
    ' ',
  ),
);

const WRITES =
  /modify|download|touch|^mv$|^cp$|_mv$|_cp$|write|edit|create|move|delete|remove|rename|append|insert|replace|patch|save|copy|notebook|put|upload|mkdir|update|screenshot|export/i;
const DELETES = /delete|remove|unlink|rmdir|(?:^|_)rm(?:$|_)|trash|wipe/i;
const LOOKS = /list|tree|info|glob|search_files|find_files|stat|exists|directory/i;

/** A source that is put into a container may be a folder of this machine. */
function isMount(server: string, name: string): boolean {
  return /^(?:docker|podman)/i.test(server) && /^(?:source|src)$/.test(name);
}

/** Whether a text under that key names a file. `name` is that of the server. */
export function isFileKey(server: string, key: string): boolean {
  const name = plain(key);
  if (LOCAL_KEYS.has(name)) return true;
  return FILE_KEYS.has(name) && (!REMOTE_FILES.test(server) || isMount(server, name));
}

/** Whether a text under that key is a command of a shell. */
export function isCommandKey(tool: string, key: string): boolean {
  return COMMAND_KEYS.has(plain(key)) || isTypedKey(tool, key);
}

/** Whether a text under that key is typed into a program that runs already. */
export function isTypedKey(tool: string, key: string): boolean {
  const name = plain(key);
  return name === 'chars' || (name === 'input' && /process|terminal|stdin|shell|session/i.test(tool));
}

/** Whether a text under that key is a query. */
export function isSqlKey(server: string, tool: string, key: string): boolean {
  return (
    SQL_KEYS.has(plain(key)) &&
    (plain(key).includes('sql') || DATABASE.test(`${server} ${tool}`)) &&
    !/websearch|web_search/i.test(tool)
  );
}

/** The access of a tool to the files that it names, as its own name tells. */
export function accessOf(tool: string): Access {
  if (DELETES.test(tool)) return 'delete';
  if (WRITES.test(tool)) return 'write';
  return LOOKS.test(tool) && !/read|content|cat|view|open/i.test(tool) ? 'look' : 'read';
}

/** Tools whose `command` is one for PowerShell or cmd, which nobody parses here. */
export function isWindowsShell(server: string, tool: string): boolean {
  return /powershell|pwsh|windows|\bcmd\b/i.test(`${server} ${tool}`);
}

/** Whether a text under that key is the folder in which the call works. */
export function isFolderKey(key: string): boolean {
  return /^(?:cwd|workdir|workingdir|workingdirectory)$/.test(plain(key));
}

/** Whether a list under that key has a command in each of its texts. */
export function isListKey(key: string): boolean {
  return plain(key) === 'commands';
}

/** Whether a list under that key holds the operands of the program beside it. */
export function isOperandsKey(key: string): boolean {
  return /^(?:args|arguments|argv)$/.test(plain(key));
}

/** Whether a tool looks through the files below the folder that it is given. */
export function isSearch(tool: string): boolean {
  return /grep|ripgrep|search/i.test(tool);
}
