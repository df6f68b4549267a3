import { type JsonValue, SublError, isSublError } from '@subluminal/core-types';
import { shownDiffText } from '../hooks/diff.js';
import { installHooks } from '../hooks/install.js';
import { createHome } from '../home/create.js';
import { escapeText } from '../output/escape.js';
import type { Call } from '../program/call.js';
import type { Asking } from './asking.js';
import type { Found } from './found.js';
import { short } from './plan-lines.js';
import { skipped, type Step } from './step.js';

/** Has clients ask for their own tools. */
export async function hooksStep(call: Call, { clients, where }: Found, asking: Asking): Promise<Step> {
  const found = clients.flatMap(({ hooks }) => hooks ?? []);
  const problems: SublError[] = found.flatMap(({ problem }) => problem ?? []);
  const open = found.filter(
    ({ coverage, problem }) => coverage.state !== 'installed' && problem === undefined,
  );
  if (open.length === 0)
    return {
      step: 'hooks',
      outcome: 'already',
      says: ['no further hook to install'],
      facts: { clients: [] },
      problems,
    };
  const says: string[] = [];
  const done: JsonValue[] = [];
  let isWanted = false;
  for (const { coverage, planned } of open) {
    const { client } = coverage;
    const diff = (): readonly string[] =>
      planned.flatMap(({ path, before, after }) => [
        `  ${escapeText(path)}`,
        ...shownDiffText(before, after),
      ]);
    const question = `${client.title}: have its own tools (Bash, edits, …) ask the gateway, by hooks?`;
    if (!(await asking.agrees(question, diff))) continue;
    isWanted = true;
    try {
      createHome(call);
      const changed = await installHooks(call, client, {
        where,
        isDry: false,
        blockedWhenAway: [],
        passedWhenAway: [],
      });
      says.push(`${client.title}: ${changed.map(({ path }) => short(path, where.userHome)).join(', ')}`);
      done.push({ client: client.name, changed: changed.map(({ path }) => path) });
    } catch (error) {
      if (!isSublError(error)) throw error;
      problems.push(error);
    }
  }
  if (!isWanted) return { ...skipped('hooks'), problems };
  return {
    step: 'hooks',
    outcome: done.length === 0 ? 'failed' : 'done',
    says,
    facts: { clients: done },
    problems,
  };
}
