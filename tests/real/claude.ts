import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { finished, type Finished } from '../harness/sub.js';
import type { Asked } from './model/model.js';
import { SERVERS, type Stage } from './stage.js';

/**
 * What keeps Claude Code from everything but its model, and has it wait for its servers and list their tools
 * at once.
 */
export const QUIET = {
  ANTHROPIC_API_KEY: 'sk-ant-dummy-0000',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_BUG_COMMAND: '1',
  ENABLE_TOOL_SEARCH: 'false',
  MCP_TIMEOUT: '60000',
  MCP_CONNECT_TIMEOUT_MS: '60000',
  CLAUDE_CODE_MCP_STARTUP_WAIT_MS: '60000',
  ENABLE_CLAUDEAI_MCP_SERVERS: 'false',
};

export const configOf = (stage: Stage): string => join(stage.user, '.claude.json');

/**
 * The config of somebody who has used Claude Code: a server for all projects, one for this one, and keys of
 * the client itself.
 */
export function writeConfig(stage: Stage): string {
  const { everything, files, modern } = SERVERS;
  const text = `{
  "numStartups": 41,
  "installMethod": "native",
  "autoUpdates": false,
  "hasCompletedOnboarding": true,
  "projects": {
    ${JSON.stringify(stage.project)}: {
      "allowedTools": [],
      "mcpServers": {
        "files": { "type": "stdio", "command": "node", "args": ${JSON.stringify([...files, '${FILES_ROOT:-.}'])}, "env": {} }
      },
      "hasTrustDialogAccepted": true
    },
    "/somewhere/else": { "allowedTools": ["Bash(ls:*)"] }
  },
  "mcpServers": {
    "everything": {"type":"stdio","command":"node","args":${JSON.stringify(everything)},"env":{"GREETING":"hello"}, "timeout": 60000},
    "modern": {
      "command": "node",
      "args": ${JSON.stringify(modern)}
    }
  },
  "someLargeNumber": 123456789
}`;
  mkdirSync(stage.user, { recursive: true });
  writeFileSync(configOf(stage), text, { mode: 0o600 });
  return text;
}

/**
 * Starts one headless turn; `before` stands before its argv, such as `sub run --`. The permission rules name
 * tools as the user's do.
 */
export function startClaude(
  stage: Stage,
  program: string,
  before: readonly string[] = [],
  more: readonly string[] = [],
): ChildProcess {
  const rules = ['--allowedTools', 'mcp__files', 'mcp__everything', 'mcp__modern', 'mcp__remote'];
  const flags = ['-p', 'do what you were told', '--output-format', 'stream-json', '--verbose', ...rules];
  // As root it takes what bypasses its own permissions for a mistake, unless it is told that it is safe.
  const own = { ...QUIET, ANTHROPIC_BASE_URL: stage.model.url, IS_SANDBOX: '1' };
  return stage.start([...before, program, ...flags, ...more], own);
}

/** One headless turn to its end. */
export function runClaude(
  stage: Stage,
  program: string,
  before?: readonly string[],
  more?: readonly string[],
): Promise<Finished> {
  return finished(startClaude(stage, program, before, more), 90_000);
}

/** The MCP tools that the model was offered, as the client wrote them. */
export function toolsOffered(asked: readonly Asked[]): unknown[] {
  for (const { body } of asked) {
    const tools = body['tools'];
    if (Array.isArray(tools) && tools.length > 0)
      return tools.filter((tool) => JSON.stringify(tool).includes('"name":"mcp__'));
  }
  return [];
}

const Result = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.unknown(),
  is_error: z.boolean().optional(),
});
const Messages = z.looseObject({
  messages: z.array(z.looseObject({ content: z.union([z.string(), z.array(z.unknown())]) })),
});

/**
 * The results of tools that the model was told last, as the client worded them but for the files that it
 * keeps images in.
 */
export function resultsTold(asked: readonly Asked[]): z.infer<typeof Result>[] {
  const last = asked.findLast(({ path }) => path.endsWith('/messages'));
  const results = Messages.parse(last?.body).messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.flatMap((block) => Result.safeParse(block).data ?? []),
  );
  const text = JSON.stringify(results);
  return z
    .array(Result)
    .parse(JSON.parse(text.replaceAll(/source: [^"]*\/mcp-everything-blob-[^"]*/g, 'source')));
}
