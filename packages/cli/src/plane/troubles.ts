import { isJsonObject, type JsonObject, numberAt } from '@subluminal/core-types';
import { type Check, found } from '../doctor/check.js';
import { counted } from '../output/counted.js';
import { modeIn } from './live-plane.js';

/** Something that the plane does not do, though it should, and what to do. */
export interface PlaneTrouble {
  readonly message: string;
  readonly help: string;
}

const SILENT = '`[plane] protected` is `gate`, and it withholds nothing';
const LOG = 'look into `logs/gateway.log` of the home; a restart begins to count anew';

/** Each of them, by the plane's part of the gateway's status. */
export function planeTroubles(plane: JsonObject): readonly PlaneTrouble[] {
  const isGated = modeIn(plane, 'protected') === 'gate';
  return [
    ...gateTrouble(plane),
    ...(plane['follows'] === true
      ? []
      : [
          {
            message: 'nobody is followed until the gateway starts again: it took too long',
            help: `restart it: \`sub down\`, then \`sub up\`${isGated ? '; until then a gate knows of no checkpoint' : ''}`,
          },
        ]),
    ...countTrouble(plane, 'failed', 'event', 'of agents could not be followed'),
    ...countTrouble(plane, 'lost', 'record', 'of agents came too fast to be followed'),
    ...countTrouble(plane, 'unrecorded', 'group', 'of entries of the plane could not be recorded'),
  ];
}

/** The same as one check of `sub doctor`; undefined where all is well, or no gateway runs. */
export function checkPlane(status: JsonObject | undefined): Check | undefined {
  const plane = status?.['plane'];
  if (plane === undefined || !isJsonObject(plane)) return undefined;
  const troubles = planeTroubles(plane);
  const [first] = troubles;
  if (first === undefined) return undefined;
  return found('plane', 'warn', troubles.map(({ message }) => message).join('; '), first.help);
}

/** A gate that withholds nothing; nothing where there is none, or no gateway runs. */
export function gateTrouble(plane: JsonObject | undefined): readonly PlaneTrouble[] {
  const effect = plane?.['gate'];
  if (effect === 'no_rule')
    return [
      {
        message: `${SILENT}: no rule of the policy asks or blocks by \`no_checkpoint\` or \`untested_changes\``,
        help: 'add such a rule (docs/policy.md, "tag"), or `sub config set plane.protected steer`',
      },
    ];
  if (effect !== 'observes') return [];
  return [
    {
      message: `${SILENT}: the mode of the policy is \`observe\``,
      help: 'set its mode to `guardrails` or `control`, or `sub config set plane.protected steer`',
    },
  ];
}

function countTrouble(plane: JsonObject, name: string, noun: string, what: string): readonly PlaneTrouble[] {
  const count = numberAt(plane, name) ?? 0;
  return count === 0 ? [] : [{ message: `${counted(count, noun)} ${what}`, help: LOG }];
}
