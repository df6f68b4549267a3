import { claude } from './claude/client.js';
import { claudeDesktop } from './claude-desktop/client.js';
import type { Client } from './client.js';
import { codex } from './codex/client.js';
import { cursor } from './cursor/client.js';
import { gemini } from './gemini/client.js';
import { vscode } from './vscode/client.js';

/** Every client whose configuration can be imported. */
export const CLIENTS: readonly Client[] = [claude, codex, cursor, vscode, gemini, claudeDesktop];
