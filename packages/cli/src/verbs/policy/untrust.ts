import { listAt, numberAt, objectAt, SublError, textAt, PROJECT_FILE } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { counted } from '../../output/counted.js';
import { escapeText } from '../../output/escape.js';
import { projectFile } from '../../policy/project/project-file.js';
import type { Call } from '../../program/call.js';
import { subVerb, type Does } from '../../program/verb.js';

/** `sub policy untrust [FOLDER]`: the policy of a project narrows no run any more. */
export function defineUntrust(group: Command, does: Does): void {
  does(
    subVerb(group, 'untrust', `take the effect of a project's \`${PROJECT_FILE}\` away`).argument(
      '[folder]',
      `a folder, or its \`${PROJECT_FILE}\`, also where they are gone (default: the nearest that is trusted)`,
    ),
    {},
    async (call) => {
      await assertOutsideRun(call);
      const file =
        call.args[0] === undefined ? await nearestTrusted(call) : projectFile(call.args[0], call.session.cwd);
      const data = objectAt(await askOperator(call.home, call.session.now, 'policy.untrust', { file }));
      if (call.output.json) call.output.value(data);
      else {
        const runs = numberAt(data, 'runs') ?? 0;
        const live = runs === 0 ? '' : `: ${counted(runs, 'live run')} may do more from the next call on`;
        call.output.line(`not trusted any more: ${escapeText(textAt(data, 'file'))}${live}`);
      }
      return EXIT.done;
    },
  );
}

/** The trusted file of this folder or of the nearest above, which may be gone. */
async function nearestTrusted({ home, session }: Call): Promise<string> {
  const shown = await askOperator(home, session.now, 'policy.show');
  const above = listAt(shown, 'projects')
    .map((one) => textAt(one, 'file'))
    .filter((file) => `${session.cwd}/`.startsWith(file.slice(0, file.lastIndexOf('/') + 1)))
    .toSorted((one, other) => other.length - one.length);
  if (above[0] !== undefined) return above[0];
  throw new SublError('not_found', 'no policy of a project is trusted for this folder', {
    help: '`sub policy show --projects` lists those that are',
  });
}
