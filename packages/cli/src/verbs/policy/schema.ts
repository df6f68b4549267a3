import { policySchemaText } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { assertDeliverable, deliver, FORCE } from '../../output/result-file.js';
import { string } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';

const FLAGS = {
  out: { ...string('<file>', 'write it to a file'), short: 'o' },
  force: FORCE,
};

/** `sub policy schema`: what editors check and complete policies by. */
export function defineSchema(group: Command, does: Does): void {
  does(subVerb(group, 'schema', 'print the JSON Schema of policies, for editors'), FLAGS, async (call) => {
    assertDeliverable(call);
    const text = policySchemaText();
    const written = deliver(call, text);
    if (call.output.json) call.output.value({ schema: JSON.parse(text) as unknown, written });
    return EXIT.done;
  });
}
