import { escapeText } from '../output/escape.js';
import type { Output } from '../output/output.js';
import { wrapped } from '../output/table.js';
import type { Found } from './found.js';
import { isWell, STEPS, type Step, type StepName } from './step.js';

const NAMES: Readonly<Record<Step['step'], string>> = {
  policy: 'policy',
  gateway: 'gateway',
  servers: 'servers',
  hooks: 'own tools',
  try: 'tried',
};
const WIDTH = 9;

/** One step, as soon as it is over. */
export function showStep(output: Output, { step, outcome, says, problems = [] }: Step): void {
  if (output.json) return;
  const tone = outcome === 'done' ? 'good' : outcome === 'kept' ? 'warn' : 'dim';
  const lines = (text: string): readonly string[] => wrapped(text, output.width - WIDTH - 2);
  for (const [at, line] of says.flatMap(lines).entries())
    output.line(`${output.paint(tone, named(step, at))}  ${line}`);
  for (const { message, help } of problems)
    for (const [at, line] of [message, help ?? []].flat().map(escapeText).flatMap(lines).entries())
      output.note(`${output.paintError('bad', named(step, at))}  ${line}`);
}

/** The first line of a step has its name. */
function named(step: Step['step'], line: number): string {
  return (line === 0 ? NAMES[step] : '').padEnd(WIDTH);
}

/** The steps after which something on this machine is another. */
export function changedBy(steps: readonly Step[]): readonly StepName[] {
  return steps.filter(({ step, outcome }) => outcome === 'done' && step !== 'try').map(({ step }) => step);
}

/** The end for people: what to do next, and how all of it is taken back. */
export function endLines(found: Found, steps: readonly Step[], isStopped: boolean): readonly string[] {
  const changed = changedBy(steps);
  const isWhole = !isStopped && steps.every(isWell);
  const undo = changed.some((step) => step === 'servers' || step === 'hooks')
    ? [
        'undo: `sub restore all` gives the files of clients back, byte for byte; `sub uninstall` removes everything else, too',
      ]
    : changed.length > 0
      ? ['undo: `sub uninstall`']
      : [];
  if (isStopped) {
    const missing = STEPS.filter((name) => !steps.some(({ step }) => step === name));
    const stands =
      changed.length === 0
        ? 'nothing was changed'
        : `done, and stays: ${changed.map((step) => NAMES[step]).join(', ')}`;
    return [
      `stopped before ${missing.map((step) => NAMES[step]).join(', ')}; ${stands}`,
      'go on: `sub init` again',
      ...undo,
    ];
  }
  const isTried = steps.some(({ step, problems = [] }) => step === 'try' && problems.length > 0);
  const again = isTried ? '`sub init --try`' : '`sub init` again';
  const mend = isWhole ? [] : [`mend what is named above, then run ${again}: what stands stays`];
  if (changed.length === 0) return isWhole ? ['everything is set up already: nothing was changed'] : mend;
  return [...mend, ...nextLines(found, changed, steps), ...undo];
}

function nextLines(
  { clients }: Found,
  changed: readonly StepName[],
  steps: readonly Step[],
): readonly string[] {
  const names = clients.map(({ client }) => client.title).join(', ');
  const begin = changed.includes('servers') || changed.includes('hooks') ? `restart ${names}; then ` : '';
  const observes = steps.some(
    ({ step, facts }) => step === 'policy' && facts?.['name'] === 'observe-everything',
  );
  return [
    `next: ${begin}\`sub tail\` shows each call as it comes`,
    ...(observes
      ? [
          'then: `sub policy replay developer-laptop` says what it would have refused, `sub policy init developer-laptop --force` begins to',
        ]
      : []),
  ];
}
