import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { finished, type Finished } from '../harness/sub.js';
import type { Asked } from './model/model.js';
import { SERVERS, type Stage } from './stage.js';

export const configOf = (stage: Stage): string => join(stage.user, '.codex/config.toml');

const list = (items: readonly string[]): string => items.map((item) => JSON.stringify(item)).join(', ');

/** The config of somebody who uses Codex, with remarks and a provider of their own. */
export function writeConfig(stage: Stage): string {
  const text = `# my settings
model = "gpt-5.5"
model_provider = "scripted"   # not the default one
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"
web_search = "disabled"

[analytics]
enabled = false
[feedback]
enabled = false
[features]
apps = false

[model_providers.scripted]
name = "scripted"
base_url = "${stage.model.url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0

# reads and writes the project
[mcp_servers.files]
command = 'node'
args = [ # the folder comes last
  ${list([...SERVERS.files, '.'])},
]
startup_timeout_sec = 60
required = true

[mcp_servers.everything]
command = "node"
args = [${list(SERVERS.everything)}]
env = { GREETING = "hello" }
startup_timeout_sec = 60.0
required = true  # wait for it

[projects.${JSON.stringify(stage.project)}]
trust_level = "trusted"
`;
  mkdirSync(join(stage.user, '.codex'), { recursive: true });
  writeFileSync(configOf(stage), text, { mode: 0o600 });
  return text;
}

/** Starts one headless turn; `before` stands before its argv, such as `sub run --`. */
export function startCodex(
  stage: Stage,
  program: string,
  before: readonly string[] = [],
  more: readonly string[] = [],
): ChildProcess {
  const flags = ['exec', '--json', '--skip-git-repo-check', ...more, 'do what you were told'];
  return stage.start([...before, program, ...flags], { SCRIPTED_KEY: 'dummy' });
}

/** One headless turn to its end. */
export function runCodex(
  stage: Stage,
  program: string,
  before?: readonly string[],
  more?: readonly string[],
): Promise<Finished> {
  return finished(startCodex(stage, program, before, more), 90_000);
}

const Output = z.looseObject({ type: z.literal('function_call_output'), call_id: z.string() });
const Named = z.looseObject({ name: z.string() });
const Found = z.looseObject({
  type: z.literal('tool_search_output'),
  tools: z.array(Named.extend({ tools: z.array(Named) })),
});
const Input = z.looseObject({ input: z.array(z.unknown()) });

/**
 * The tools that the model found, as the client wrote them but in the order of their names: it is offered
 * those of MCP servers only when it looks for them, and gets those that fit as well in any order.
 */
export function toolsFound(asked: readonly Asked[]): unknown[] {
  const last = asked.findLast(({ path }) => path.endsWith('/responses'));
  const spaces = Input.parse(last?.body).input.flatMap((item) => Found.safeParse(item).data?.tools ?? []);
  return spaces.map((space) => ({ ...space, tools: space.tools.toSorted(byName) })).toSorted(byName);
}

const byName = (one: { name: string }, other: { name: string }): number => one.name.localeCompare(other.name);

/**
 * The results of tools that the model was told last, as the client worded them but for its ids and how long
 * they took.
 */
export function resultsTold(asked: readonly Asked[]): z.infer<typeof Output>[] {
  const last = asked.findLast(({ path }) => path.endsWith('/responses'));
  const items = Input.parse(last?.body).input.flatMap((item) => Output.safeParse(item).data ?? []);
  return items.map(({ id: _own, ...item }) =>
    Output.parse(JSON.parse(JSON.stringify(item).replaceAll(/Wall time: [\d.]+/g, 'Wall time:'))),
  );
}
