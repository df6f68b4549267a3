import type { ClientFile, Where } from '../client.js';
import { pathsOf, variable } from '../place/paths.js';

/** The folder of Claude Code's settings: `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
export function settingsFolder(where: Where): string {
  return variable(where, 'CLAUDE_CONFIG_DIR') ?? pathsOf(where).join(where.userHome, '.claude');
}

/** Where an administrator puts what rules over every user. */
export function managedFolder(where: Where): string {
  if (where.platform === 'darwin') return '/Library/Application Support/ClaudeCode';
  return where.platform === 'win32' ? 'C:\\Program Files\\ClaudeCode' : '/etc/claude-code';
}

/** The user's file (servers of all projects, and of single ones) and that of the project. */
export function claudeFiles(where: Where): readonly ClientFile[] {
  const { join } = pathsOf(where);
  const folder = variable(where, 'CLAUDE_CONFIG_DIR') ?? where.userHome;
  return [
    { path: join(folder, '.claude.json'), scope: 'user' },
    { path: join(where.project, '.mcp.json'), scope: 'project', project: where.project },
  ];
}
